/** What a person runs to mend things, where the host is installed from a package. */
export const IN_FOLDER = false;
export const COMMANDS = {
  install: "sidekeep install",
  repair: "sidekeep doctor --fix",
  extension: "sidekeep extension",
  model: "sidekeep model get",
  doctor: "sidekeep doctor",
};
