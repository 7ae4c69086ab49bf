// Declares CLI::App, for headers that only name it: the headers of CLI11 take long to compile.
#pragma once

namespace CLI {
class App;
}
