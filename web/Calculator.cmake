set(launchbox_no_calculator "not built yet")
set(launchbox_calculator_program "")
