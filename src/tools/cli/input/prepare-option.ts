import type { OptionSpec } from '../command.js';

/** The option of commands that can open PostgreSQL: `args.isSet('no-prepare')`. */
export const PREPARE_OPTION: Readonly<Record<string, OptionSpec>> = {
  'no-prepare': {
    help: 'Uses no prepared statements, for poolers that lack them, such as PgBouncer before 1.21.',
  },
};
