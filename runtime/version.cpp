#include <sinter/version.hpp>

const char* sinter::version() { return SINTER_VERSION; }
int sinter::version_number() { return SINTER_VERSION_NUMBER; }
