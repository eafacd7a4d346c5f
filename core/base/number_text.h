// Numbers as text with a decimal point, whatever the locale of the host.
#ifndef PERCALE_CORE_BASE_NUMBER_TEXT_H_
#define PERCALE_CORE_BASE_NUMBER_TEXT_H_

#include <string>

namespace percale {

// As printf's %.*g: so many significant digits. A NaN of either sign is "nan".
std::string general_text(double value, int digits);
// As printf's %.*f: so many digits behind the point.
std::string fixed_text(double value, int decimals);

}  // namespace percale

#endif  // PERCALE_CORE_BASE_NUMBER_TEXT_H_
