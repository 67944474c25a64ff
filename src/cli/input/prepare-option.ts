import type { OptionSpec } from '../command.js';

/** The option of every command that may work on PostgreSQL: `args.isSet('no-prepare')`. */
export const PREPARE_OPTION: Readonly<Record<string, OptionSpec>> = {
  'no-prepare': {
    help: 'Keeps no statements prepared on PostgreSQL, for a pooler between that does not know of them, such as PgBouncer before 1.21.',
  },
};
