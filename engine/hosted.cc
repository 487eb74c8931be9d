// SPDX-License-Identifier: Apache-2.0

#include "engine/hosted.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "engine/child_process.h"
#include "engine/hosted_block.h"
#include "engine/module.h"

namespace assay {
namespace {

class Hosted {
 public:
  static Result<const AssayBackend*> Open(const HostedModule& module);
  ~Hosted() {
    if (child_ > 0) KillChild(child_);
  }

 private:
  Hosted(const HostedModule& module, SharedMemory memory)
      : refusal_(module.refusal), memory_(std::move(memory)) {}
  HostedBlock& block() { return *static_cast<HostedBlock*>(memory_.data()); }
  Status Start(const HostedModule& module);
  std::optional<char> Wait();
  bool Describe(const AssayCall& call);
  int32_t Run(const AssayCall& call, AssayText* text);
  [[noreturn]] void EndAlike();

  static Hosted& Self(void* self) { return *static_cast<Hosted*>(self); }
  static const char* Version(void* self) { return Self(self).block().version.data(); }
  static const char* Pins(void* self) { return Self(self).block().pins.data(); }
  static int32_t Supports(void* self, const AssayCall* call, AssayText* reason);
  static int32_t RunCall(void* self, const AssayCall* call, AssayText* text) {
    return Self(self).Run(*call, text);
  }
  static const char* Declare(void* self, const char* key) {
    const bool has = std::string_view(key) == "profile" && Self(self).block().profile[0] != 0;
    return has ? Self(self).block().profile.data() : nullptr;
  }
  static void Close(void* self) { delete &Self(self); }

  AssayBackend table_{};
  std::string_view (*refusal_)(const AssayCall&);
  SharedMemory memory_;
  pid_t child_ = -1;
  UniqueFd request_, reply_;
};

void Say(AssayText* text, std::string_view words) {
  if (text == nullptr) return;
  text->size = std::min(words.size(), text->capacity);
  std::memcpy(text->data, words.data(), text->size);
}

Status Hosted::Start(const HostedModule& module) {
  Result<Pipe> request = MakePipe(), reply = MakePipe();
  if (!request.ok()) return request.error();
  if (!reply.ok()) return reply.error();
  const ScopedEnvironment environment(module.environment);
  // What the library prints must not mix with data on our standard output.
  const Result<pid_t> child = SpawnChild(HostProgram(), {"assay-host", module.name, module.options},
                                         {{memory_.fd(), kHostedBlockFd},
                                          {request.value().read.get(), kHostedRequestFd},
                                          {reply.value().write.get(), kHostedReplyFd},
                                          {STDERR_FILENO, STDOUT_FILENO}});
  if (!child.ok()) return child.error();
  child_ = child.value();
  request_ = std::move(request.value().write);
  reply_ = std::move(reply.value().read);
  return {};
}

// The byte of the other side, or nothing when that has ended.
std::optional<char> Hosted::Wait() {
  char byte = 0;
  ssize_t got;
  do {
    got = read(reply_.get(), &byte, 1);
  } while (got < 0 && errno == EINTR);
  return got == 1 ? std::optional(byte) : std::nullopt;
}

Result<const AssayBackend*> Hosted::Open(const HostedModule& module) {
  Result<SharedMemory> memory = SharedMemory::Create(sizeof(HostedBlock));
  if (!memory.ok()) return memory.error();
  std::unique_ptr<Hosted> hosted(new Hosted(module, std::move(memory).value()));
  if (const Status started = hosted->Start(module); !started.ok()) return started.error();
  const std::optional<char> reply = hosted->Wait();
  if (!reply.has_value()) {
    const ChildEnd end = WaitForChild(std::exchange(hosted->child_, -1));
    return Error{module.name, "its process ended while it was opened: " + end.Text(),
                 "see what it printed"};
  }
  HostedBlock& block = hosted->block();
  if (*reply != kHostedOpen) {
    return Error{module.name, std::string(block.text.data.data(), block.text.size), ""};
  }
  block.server = getpid();
  hosted->table_ = {sizeof(AssayBackend),
                    ASSAY_ABI_VERSION,
                    hosted.get(),
                    block.family.data(),
                    Version,
                    Pins,
                    Supports,
                    RunCall,
                    Declare,
                    Close};
  return &hosted.release()->table_;
}

int32_t Hosted::Supports(void* self, const AssayCall* call, AssayText* reason) {
  const std::string_view refusal = Self(self).refusal_(*call);
  if (refusal.empty()) return ASSAY_OK;
  Say(reason, refusal);
  return ASSAY_UNSUPPORTED;
}

// False if an operand lies where the other process cannot see it.
bool Hosted::Describe(const AssayCall& call) {
  HostedBlock& block = this->block();
  block.op = call.op;
  block.attribute_count = call.attribute_count;
  block.operand_count = call.operand_count;
  std::copy_n(call.attributes, call.attribute_count, block.attributes.begin());
  block.schedule_seed = call.schedule_seed;
  block.run_number = call.run_number;
  block.threads = call.threads;
  for (int i = 0; i < call.operand_count; ++i) {
    const AssayTensor& tensor = call.operands[i];
    const std::optional<OperandMapping> mapping = FindOperandMapping(tensor.data);
    if (!mapping.has_value()) return false;
    HostedOperand& operand = block.operands[i];
    operand.mapping = *mapping;
    operand.data = static_cast<std::byte*>(tensor.data);
    operand.byte_offset = tensor.byte_offset;
    operand.dtype = tensor.dtype;
    operand.ndim = tensor.ndim;
    std::copy_n(tensor.shape, tensor.ndim, operand.shape.begin());
    std::copy_n(tensor.strides, tensor.ndim, operand.strides.begin());
  }
  return true;
}

int32_t Hosted::Run(const AssayCall& call, AssayText* text) {
  if (!Describe(call)) {
    Say(text, "operands outside of any arena cannot be handed to another process");
    return ASSAY_FAILED;
  }
  HostedBlock& block = this->block();
  const FpControl before = ReadFpControl();
  block.control = before;
  const char go = 0;
  if (write(request_.get(), &go, 1) != 1) EndAlike();
  const std::optional<char> reply = Wait();
  if (!reply.has_value()) EndAlike();
  if (*reply == kHostedTouched) {
    // The same access to the same memory: whoever guards this call sees it, and does not return
    // here.
    if (block.touched_by_write) *block.touched = std::byte{0};
    static_cast<void>(*block.touched);
    Say(text, "touched a guard that is none here");
    return ASSAY_FAILED;
  }
  if (*reply == kHostedUnmapped) {
    Say(text, "the other process cannot map the operands");
    return ASSAY_FAILED;
  }
  if (block.control != before) WriteFpControl(block.control);
  Say(text, std::string_view(block.text.data.data(), block.text.size));
  return block.status;
}

// Our process ends as the library's did.
void Hosted::EndAlike() {
  const ChildEnd end = WaitForChild(std::exchange(child_, -1));
  if (end.signal != 0) {
    signal(end.signal, SIG_DFL);
    raise(end.signal);
  }
  _exit(end.exit_code);
}

}  // namespace

Result<const AssayBackend*> OpenHosted(const HostedModule& module) { return Hosted::Open(module); }

}  // namespace assay
