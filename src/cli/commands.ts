import type { CommandEntry } from './command.js';

/** The commands in the order of the help. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  run: {
    summary: 'Runs a module of an app and prints its bundles.',
    load: async () => (await import('./commands/run.js')).RUN_COMMAND,
  },
  rpc: {
    summary: 'Calls an RPC of an app and prints what it gives.',
    load: async () => (await import('./commands/rpc.js')).RPC_COMMAND,
  },
  epoch: {
    summary: 'Lists what a polling trigger can start with.',
    load: async () => (await import('./commands/epoch.js')).EPOCH_COMMAND,
  },
  webhook: {
    summary: 'Processes one call of a webhook, attaches and detaches it.',
    load: async () => (await import('./commands/webhook.js')).WEBHOOK_COMMAND,
  },
  dev: {
    summary: 'Opens a local page that shows every run of an app.',
    load: async () => (await import('./commands/dev.js')).DEV_COMMAND,
  },
  check: {
    summary: 'Looks for mistakes in an app without running it.',
    load: async () => (await import('./commands/check.js')).CHECK_COMMAND,
  },
  init: {
    summary: 'Writes a first test for each component of an app.',
    load: async () => (await import('./commands/init.js')).INIT_COMMAND,
  },
  test: {
    summary: 'Runs the tests of an app.',
    load: async () => (await import('./commands/test.js')).TEST_COMMAND,
  },
  lsp: {
    summary: 'Serves editors by the Language Server Protocol.',
    load: async () => (await import('./commands/lsp.js')).LSP_COMMAND,
  },
  schemas: {
    summary: 'JSON Schemas of the files of apps, for editors.',
    load: async () => (await import('./commands/schemas.js')).SCHEMAS_COMMAND,
  },
  types: {
    summary: 'Writes TypeScript types of an app.',
    load: async () => (await import('./commands/types.js')).TYPES_COMMAND,
  },
  connect: {
    summary: 'Makes a connection of an app and keeps it, encrypted.',
    load: async () => (await import('./commands/connect.js')).CONNECT_COMMAND,
  },
  connections: {
    summary: 'Shows, tests, refreshes and removes connections that are kept.',
    load: async () => (await import('./commands/connections.js')).CONNECTIONS_COMMAND,
  },
  serve: {
    summary: 'Receives webhooks and runs scenarios.',
    load: async () => (await import('./commands/serve.js')).SERVE_COMMAND,
  },
  events: {
    summary: 'Lists, shows, replays and discards events of a host.',
    load: async () => (await import('./commands/events.js')).EVENTS_COMMAND,
  },
  scenarios: {
    summary: 'Shows the scenarios of a host: state, errors, next run.',
    load: async () => (await import('./commands/scenarios.js')).SCENARIOS_COMMAND,
  },
  rest: {
    summary: 'Serves the REST API v2 of the platform.',
    load: async () => (await import('./commands/rest.js')).REST_COMMAND,
  },
  eval: {
    summary: 'Evaluates a template.',
    load: async () => (await import('./commands/eval.js')).EVAL_COMMAND,
  },
  info: {
    summary: 'Shows what an app is made of, and what is wrong with it.',
    load: async () => (await import('./commands/info.js')).INFO_COMMAND,
  },
};
