/**
 * What a person runs to mend things. These are for an installation from a checkout (README), in Sidekeep's folder; what is packaged
 * has packaging/extension/commands.js in their place.
 */
export const IN_FOLDER = true;
export const COMMANDS = {
  install: "python3 build.py run",
  repair: "python3 build.py setup",
  extension: "python3 build.py extension",
  model: ".venv/bin/sidekeep model get",
  doctor: ".venv/bin/sidekeep doctor",
};
