#include "tune/screen.hpp"
