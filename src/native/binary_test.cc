#include "native/binary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/test_paths.h"
#include "target/process.h"
#include "target/process_memory.h"
#include "target/test_child.h"

namespace flametap::native {
namespace {

// A child and what it has loaded.
class Child {
 public:
  explicit Child(const std::string& program = in_build("src/native/native_program_stacks"))
      : child_(target::TestChild::exec({program, "spin"})),
        process_(std::move(*target::Process::open(child_.pid()))),
        memory_(child_.pid()),
        modules_(std::move(*target::Module::list(process_, memory_))) {}

  [[nodiscard]] target::Module& module(const std::string& part) {
    const auto found = std::find_if(modules_.begin(), modules_.end(), [&](const target::Module& module) {
      return module.path().find(part) != std::string::npos;
    });
    EXPECT_NE(found, modules_.end());
    return *found;
  }
  [[nodiscard]] target::Memory& memory() { return memory_; }

 private:
  target::TestChild child_;
  target::Process process_;
  target::ProcessMemory memory_;
  std::vector<target::Module> modules_;
};

// Where a file is gone its image must do, and say the same about every instruction.
TEST(Binary, ImageAndFileHaveTheSameRows) {
  Child child;
  target::Module& module = child.module("native_program");
  const Result<std::shared_ptr<Binary>> image = Binary::from_image(module, child.memory());
  ASSERT_TRUE(image);
  EXPECT_EQ((*image)->file(), nullptr);
  const std::shared_ptr<Binary> file = Binary::from_file(*module.take_file(), module.path(), module.build_id());
  const target::ElfFile::Section text = *file->file()->section(".text");
  std::size_t known = 0;
  for (std::uint64_t i = 0; i < text.size; ++i) {
    const target::LinkAddress address{to_number(text.address) + i};
    const UnwindRow* const row = file->rows().find(address);
    const UnwindRow* const same = (*image)->rows().find(address);
    ASSERT_EQ(row == nullptr, same == nullptr) << std::hex << to_number(address);
    if (row == nullptr) continue;
    ++known;
    ASSERT_EQ(*row, *same);
  }
  EXPECT_GT(known, text.size / 2);
}

TEST(Binary, TheVdsoIsReadFromMemory) {
  Child child;
  BinaryCache cache;
  target::Module& vdso = child.module("[vdso]");
  const std::shared_ptr<Binary> binary = cache.find(vdso, child.memory());
  ASSERT_NE(binary, nullptr);
  EXPECT_EQ(binary->path(), "[vdso]");
  EXPECT_EQ(binary->file(), nullptr);
  const target::Symbols symbols = vdso.image().find_symbols({"__vdso_clock_gettime"});
  ASSERT_EQ(symbols.size(), 1u);
  EXPECT_NE(binary->rows().find(symbols.begin()->second.address), nullptr);
}

TEST(BinaryCache, ProcessesShareABinary) {
  for (const std::string name : {"stacks", "no_build_id"}) {
    Child first(in_build("src/native/native_program_" + name));
    Child second(in_build("src/native/native_program_" + name));
    BinaryCache cache;
    const std::shared_ptr<Binary> binary = cache.find(first.module("native_program"), first.memory());
    ASSERT_NE(binary, nullptr);
    EXPECT_EQ(cache.find(second.module("native_program"), second.memory()), binary);
    EXPECT_EQ(cache.size(), 1u);
  }
}

TEST(BinaryCache, ForgetsWhatNobodyUses) {
  Child child;
  BinaryCache cache;
  std::shared_ptr<Binary> binary = cache.find(child.module("native_program"), child.memory());
  cache.drop_unused();
  EXPECT_EQ(cache.size(), 1u);
  binary.reset();
  cache.drop_unused();
  EXPECT_EQ(cache.size(), 0u);
}

}  // namespace
}  // namespace flametap::native
