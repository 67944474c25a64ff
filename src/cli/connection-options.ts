import type { EngineOptions } from '../app/engine/create-engine.js';
import type { Arguments, OptionSpec } from './command.js';
import { readTimezone } from './input/timezone-option.js';

/** Options of every command that lets a connection call its service. */
export const CONNECTION_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  'allow-local': { help: 'Lets the app call this machine.' },
  allow: {
    value: 'HOST',
    multiple: true,
    help: 'Lets the app call a host, address or CIDR block that is not public. May be repeated.',
  },
  timezone: { value: 'ZONE', help: 'Timezone of the scenario, such as Europe/Prague. Default: UTC.' },
};

/** @throws EngineError (USAGE) */
export function readConnectionOptions(args: Arguments): Pick<EngineOptions, 'network' | 'timezone'> {
  return {
    network: { allow: [...(args.isSet('allow-local') ? ['loopback'] : []), ...args.texts('allow')] },
    timezone: readTimezone(args.text('timezone')),
  };
}
