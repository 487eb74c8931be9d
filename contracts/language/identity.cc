// SPDX-License-Identifier: Apache-2.0
//
// Which programs are one and the same. Contracts borrow each other's tolerances and backends
// declare alike, so a case meets few distinct programs under many clauses; each is worth evaluating
// once.
#include <bit>
#include <map>
#include <mutex>
#include <string>

#include "contracts/language/program.h"

namespace assay {
namespace {

// Everything that evaluation reads, in a fixed order, as bytes. Numbers go by their bits: -0 is not
// +0, and a NaN is itself.
class Writing {
 public:
  void Add(uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) text_ += static_cast<char>(number >> shift);
  }
  void Add(double number) { Add(std::bit_cast<uint64_t>(number)); }
  void Add(const Operand& operand) {
    Add(uint64_t{static_cast<uint64_t>(operand.place)} << 16 | operand.index);
  }
  void Add(const std::vector<Instruction>& code) {
    Add(uint64_t{code.size()});
    for (const Instruction& instruction : code) {
      Add(uint64_t{static_cast<uint64_t>(instruction.code)} << 16 | instruction.target);
      Add(instruction.a);
      Add(instruction.b);
    }
  }
  void Add(std::string_view text) {
    Add(uint64_t{text.size()});
    text_ += text;
  }

  std::string text_;
};

std::string TextOf(const Program& program) {
  Writing out;
  out.Add(uint64_t{program.constants.size()});
  for (const double constant : program.constants) out.Add(constant);
  out.Add(static_cast<uint64_t>(program.scalars));
  out.Add(static_cast<uint64_t>(program.columns));
  out.Add(program.by_case);
  out.Add(program.by_element);
  out.Add(program.result);
  out.Add(uint64_t{program.quantities.size()});
  for (const Quantity quantity : program.quantities) out.Add(static_cast<uint64_t>(quantity));
  out.Add(static_cast<uint64_t>(program.accumulator));
  out.Add(static_cast<uint64_t>(program.input_format));
  for (const double fact : {program.u, program.flush, program.flush_input}) out.Add(fact);
  out.Add(static_cast<uint64_t>(program.family));
  out.Add(static_cast<uint64_t>(program.block));
  out.Add(static_cast<uint64_t>(program.guard));
  out.Add(uint64_t{program.exact_products} << 1 | uint64_t{program.assumes_preserve});
  out.Add(program.missing);
  return out.text_;
}

}  // namespace

uint32_t IdentityOf(const Program& program) {
  static std::mutex mutex;
  static std::map<std::string, uint32_t> numbers;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto next = static_cast<uint32_t>(numbers.size() + 1);
  return numbers.try_emplace(TextOf(program), next).first->second;
}

}  // namespace assay
