// SPDX-License-Identifier: Apache-2.0
//
// Contracts applied: a suite of contract files, bound to one operator, its types and one backend's
// declarations, then evaluated on evidence and an observation. Binding may allocate; judging
// allocates nothing per element. Judge is const and may run on several threads with separate
// scratch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/evidence.h"
#include "contracts/language/diagnostic.h"
#include "contracts/measurement.h"
#include "contracts/observation.h"
#include "contracts/operator.h"
#include "contracts/profile.h"
#include "contracts/result.h"
#include "contracts/values.h"
#include "contracts/verdict.h"

namespace assay {

// Narrower models an element must be able to tell from the declared one.
enum class DefectModel : uint8_t {
  kZero = 0,
  kF16Accumulator,
  kBf16Accumulator,
  kTf32Operands,
  kHf32Operands,
  kBf16Operands,
  kNoShift,
  kOnePass,              // variance as E[x^2] - E[x]^2
  kRoundedIntermediate,  // the pre-activation, or the scores, stored in the output's type
  kFlushed,              // subnormal inputs, intermediates and outputs as zero
};
inline constexpr int kDefectModelCount = 10;
std::string_view NameOf(
    DefectModel model);  // "zero", "f16", "bf16", "tf32", "hf32", "bf16_operands", "no_shift",
                         // "one_pass", "rounded_intermediate", "flushed"

// What the judge needs beyond evidence; the pipeline supplies it from the oracles, so that
// contracts do not depend on them.
class ForceSource {
 public:
  virtual ~ForceSource() = default;
  // Output of `model` on this case at element `index`, rounded to the output type. False when the
  // model does not apply to the operator.
  virtual bool Emulate(DefectModel model, int64_t index, double* out) = 0;
  // Bit per IndexPolicy that reproduces the observed output (or the raise) exactly; bit 31 when all
  // indices are in bounds and the copies are exact.
  virtual uint32_t MatchingPolicies(const Observation& observation) = 0;
  // argmax, amax, topk_indices: whether index `got` is a right answer for output `element`, behind
  // the `before` it in the same call. Where a NaN leaves a choice, what `place` declares; without a
  // declaration every convention in use is right.
  virtual bool LegalChoice(int64_t element, int64_t got, std::span<const int64_t> before,
                           std::optional<NanPlace> place) = 0;
};

class Suite;           // contracts and profiles as loaded
class BoundContracts;  // a suite bound to (operator, types, declarations)

// Loads every *.kc file of the two directories. Diagnostics of all files are joined in the Error
// text, each with file:line:column, the source line and a caret. An empty `profiles_dir` stands for
// the built-in profiles.
Result<std::shared_ptr<const Suite>> LoadSuite(const std::string& contracts_dir,
                                               const std::string& profiles_dir);
// The suite compiled into the program (the files of contracts/suite and contracts/profiles).
std::shared_ptr<const Suite> BuiltinSuite();

struct ContractInfo {
  std::string id, title, file;
  std::vector<std::string> clauses;
  std::vector<OpId> operators;
  std::vector<std::string> probes;  // of its measurement, as written
  Measurement measurement;          // the rest of it
};
std::vector<ContractInfo> ContractsOf(const Suite& suite);
// Preconditions' and scopes' comparison atoms, for the mutators: (operator, dimension or attribute
// name, boundary value).
struct Atom {
  OpId op;
  std::string name;
  double value;
};
std::vector<Atom> AtomsOf(const Suite& suite);

// Declarations of profile `name` for an operator and the type of its first operand; an Error names
// the profiles there are. `assume` ("ieee", "blas" or "") fills undeclared policies from a named
// default.
// An empty profile name declares nothing.
Result<Declared> DeclaredBy(const Suite& suite, std::string_view profile, OpId op, DType type,
                            std::string_view assume = "");
std::vector<std::string> ProfilesOf(const Suite& suite);
// The declarations that made up the above, one per key, with the profile that holds each and the
// source it names: what a report shows of a promise, or of what was assumed in its place.
struct DeclarationInfo {
  std::string key, profile, source;
  std::string value;  // as written: "f32 rz block=4 guard=0", "WRAP_NEGATIVE", "3"
  std::string lets;   // of a relaxation: what it lets through
};
Result<std::vector<DeclarationInfo>> DeclarationsOf(const Suite& suite, std::string_view profile,
                                                    OpId op, DType type,
                                                    std::string_view assume = "");

// Checks contract and profile files as `assay check` does: against each other and, for names that
// none of them defines, against the built-in suite. A file that cannot be read is a diagnostic too.
// Without any error the answer is what there is to warn about.
std::vector<Diagnostic> CheckFiles(std::span<const std::string> paths);

// `output` is the type of the output operand, `input` that of the first operand.
std::shared_ptr<const BoundContracts> Bind(std::shared_ptr<const Suite> suite, OpId op, DType input,
                                           DType output, const Declared& declared);

// Which further calls the clauses bound here compare, of those the backend has promised something
// about: what Observation::variants should hold, a bit per VariantKind.
using VariantKinds = uint8_t;
constexpr VariantKinds BitOf(VariantKind kind) {
  return static_cast<VariantKinds>(1 << static_cast<int>(kind));
}
VariantKinds VariantsFor(const BoundContracts& contracts);

// Scratch of one thread, for the evidence of one oracle; must not outlive the contracts it judged
// by.
class JudgeScratch {
 public:
  JudgeScratch();
  ~JudgeScratch();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

// One ClauseVerdict per clause whose scope holds the case. Clauses whose precondition fails give
// kRejected. `force_budget`: elements tried per defect model before giving up (>= 1); 0: only the
// zero model, which costs nothing.
void Judge(const BoundContracts& contracts, const Values& values, const Evidence& evidence,
           const Observation& observation, ForceSource& force, int force_budget,
           JudgeScratch& scratch, Verdict& verdict);

// The tolerance E of every output element under contract `id` (empty when it has none): for reports
// and tests. REQUIRES evidence of the bound operator.
std::vector<double> ToleranceOf(const BoundContracts& contracts, std::string_view id,
                                const Values& values, const Evidence& evidence);

}  // namespace assay
