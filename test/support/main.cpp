// The test program. Around doctest's own run it sees to three things: a device that is not there is a skip and not a failure,
// the user's kernel cache is left alone, and a run in which nothing ran does not pass.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include <sinter/device.hpp>

namespace {

constexpr int skipped = 77;  // ctest's SKIP_RETURN_CODE

/// Did SINTER_DEVICE ask for a GPU that is not there? Any other word is the library's to judge.
bool gpu_is_missing() {
  const char* asked = std::getenv("SINTER_DEVICE");
  if (!asked || std::string(asked).compare(0, 4, "cuda") != 0) return false;
  const int ordinal = asked[4] == ':' ? std::atoi(asked + 5) : 0;
  return !sinter::device::available(sinter::device::cuda(ordinal));
}

/// A kernel cache for a run by hand, gone when it ends; ctest names one of its own.
class cache_for_this_run {
 public:
  cache_for_this_run() {
    if (std::getenv("SINTER_CACHE_DIR")) return;
    folder_ = std::filesystem::path(SINTER_TEST_CACHES) / ("by_hand_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_.parent_path());
    setenv("SINTER_CACHE_DIR", folder_.c_str(), 1);
  }
  cache_for_this_run(const cache_for_this_run&) = delete;
  cache_for_this_run& operator=(const cache_for_this_run&) = delete;
  ~cache_for_this_run() {
    std::error_code left_behind;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, left_behind);
  }

 private:
  std::filesystem::path folder_;
};

/// Notes how many test cases the filters let through.
struct tally : doctest::IReporter {
  static inline unsigned cases = 0;

  explicit tally(const doctest::ContextOptions&) {}
  void test_run_end(const doctest::TestRunStats& stats) override { cases = stats.numTestCasesPassingFilters; }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

}  // namespace

DOCTEST_REGISTER_LISTENER("tally", 1, tally);

int main(int argc, char** argv) {
  if (gpu_is_missing()) {
    std::cout << "sinter: skipped, there is no device " << std::getenv("SINTER_DEVICE") << '\n';
    return skipped;
  }
  const cache_for_this_run cache;

  doctest::Context context(argc, argv);
  const int result = context.run();
  if (context.shouldExit()) return result;  // it was only asked to list or count
  if (tally::cases == 0) {
    std::cerr << "sinter: no test case passed the filters\n";
    return EXIT_FAILURE;
  }
  return result;
}
