import type { OptionSpec } from './command.js';

/** The options of `iml run`. */
export const RUN_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  param: {
    short: 'p',
    value: 'NAME=VALUE|JSON|@FILE',
    multiple: true,
    help: 'Parameters of the module; text is read by the type of its field. May be repeated.',
  },
  connection: {
    value: 'NAME|JSON|@FILE',
    help: 'A connection that iml connect made, or data of one, credentials included. Never shown.',
  },
  common: { value: 'JSON|@FILE', help: "Replaces the app's common data." },
  data: { value: 'JSON|@FILE', help: 'Data of the module: the state of a polling trigger.' },
  payload: { value: 'JSON|@FILE', help: 'The webhook item an instant trigger works on.' },
  defaults: { help: 'Fills fields that are not given with their defaults, as the form in the editor does.' },
  resolve: {
    help: "Asks the app's RPCs for fields that rpc:// references stand for, and checks those, too.",
  },
  'no-check': { help: 'Hands the parameters over as they are, unchecked and unconverted.' },
  limit: { short: 'n', value: 'N', help: 'Stops after N bundles, and asks for no further page.' },
  table: { help: 'Prints a table. Default on a terminal.' },
  ndjson: { help: 'Prints a line of JSON a bundle, as they come. Default in a pipe.' },
  json: { help: 'Prints the report of the run: bundles, error, state, stats, warnings.' },
  query: { short: 'q', value: 'JSONATA', help: 'Prints what a JSONata expression finds in the report.' },
  trace: { help: 'Tells on standard error what is sent and received. In --json: in the report too.' },
  'trace-bodies': { help: 'The same with bodies.' },
  'allow-local': { help: 'Lets the app call this machine.' },
  allow: {
    value: 'HOST',
    multiple: true,
    help: 'Lets the app call a host, address or CIDR block that is not public. May be repeated.',
  },
  'base-url': { value: 'URL', help: 'Replaces the baseUrl of the base.' },
  timezone: { value: 'ZONE', help: 'Timezone of the scenario, such as Europe/Prague. Default: UTC.' },
  'timeout-ms': { value: 'MS', help: 'Time the run may take. Default: what the app says, else 40000.' },
  'on-page-loop': {
    value: 'warn|stop|error',
    help: 'What to do with a page that repeats an earlier one. Default: warn.',
  },
  'trust-functions': { help: 'Runs custom functions in node:vm for debugging. That protects from nothing.' },
};
