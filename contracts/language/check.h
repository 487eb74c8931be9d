// SPDX-License-Identifier: Apache-2.0
//
// What must hold of a contract beyond its grammar: names exist, units fit, a tolerance looks at
// nothing of the candidate, every clause has something that decides it. Fills types and rates of
// the expressions.
#pragma once

#include "contracts/language/ast.h"
#include "contracts/language/diagnostic.h"

namespace assay {

void CheckContract(ContractAst& contract, DiagnosticSink& sink);

// Where an expression stands: what it must be, and what it may look at.
enum class Place : uint8_t { kCondition, kTolerance };
// Types the expression and everything below it; reports what does not fit. Numeric attributes may
// be named where all operators that `selector` leaves of the scope have them.
void CheckExpression(ContractAst& contract, int root, Place place, const Selector& selector,
                     DiagnosticSink& sink);

// Names and values of the measurement protocol.
void CheckMeasurement(const ContractAst& contract, DiagnosticSink& sink);

// True if the selector names the operator, or no operator at all. Clause names are no operators.
bool Selects(const Selector& selector, std::string_view op);
// A precondition's "for" may name operators, clauses or both; each kind that is named narrows it.
bool Concerns(const ContractAst& contract, const Selector& selector, std::string_view op,
              std::string_view clause);

}  // namespace assay
