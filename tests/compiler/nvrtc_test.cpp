#include "compiler/nvrtc.hpp"
