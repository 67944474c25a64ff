import type { CommandEntry } from './command.js';

/** The commands in the order of the help. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  run: {
    summary: 'Runs a module, an endpoint, an RPC or an epoch of an app and prints its output.',
    load: async () => (await import('./commands/run.js')).RUN_COMMAND,
  },
  webhook: {
    summary: 'Processes one call of a webhook, attaches and detaches it.',
    load: async () => (await import('./commands/webhook.js')).WEBHOOK_COMMAND,
  },
  dev: {
    summary: 'Serves a local page that runs an app and shows every run.',
    load: async () => (await import('./commands/dev.js')).DEV_COMMAND,
  },
  mcp: {
    summary: 'Offers the endpoints of an app to AI clients as MCP tools.',
    load: async () => (await import('./commands/mcp.js')).MCP_COMMAND,
  },
  check: {
    summary: 'Reports mistakes in an app without running it.',
    load: async () => (await import('./commands/check.js')).CHECK_COMMAND,
  },
  init: {
    summary: 'Creates an app, or first tests of an app.',
    load: async () => (await import('./commands/init.js')).INIT_COMMAND,
  },
  add: {
    summary: 'Adds a component to an app.',
    load: async () => (await import('./commands/add.js')).ADD_COMMAND,
  },
  migrate: {
    summary: 'Writes the manifest of an app that has none, or updates an old one.',
    load: async () => (await import('./commands/migrate.js')).MIGRATE_COMMAND,
  },
  login: {
    summary: 'Stores an API token of Make, encrypted.',
    load: async () => (await import('./commands/login.js')).LOGIN_COMMAND,
  },
  logout: {
    summary: 'Removes a stored API token of Make.',
    load: async () => (await import('./commands/login.js')).LOGOUT_COMMAND,
  },
  status: {
    summary: 'Compares an app with Make.',
    load: async () => (await import('./commands/sync.js')).STATUS_COMMAND,
  },
  pull: {
    summary: 'Reads an app from Make.',
    load: async () => (await import('./commands/sync.js')).PULL_COMMAND,
  },
  push: {
    summary: 'Writes an app to Make.',
    load: async () => (await import('./commands/sync.js')).PUSH_COMMAND,
  },
  test: {
    summary: 'Runs the tests of an app.',
    load: async () => (await import('./commands/test.js')).TEST_COMMAND,
  },
  bench: {
    summary: 'Measures how fast a module reads pages.',
    load: async () => (await import('./commands/bench.js')).BENCH_COMMAND,
  },
  infer: {
    summary: 'Writes the interface, samples or parameters of a component from responses.',
    load: async () => (await import('./commands/infer.js')).INFER_COMMAND,
  },
  diff: {
    summary: 'Compares two versions of an app and reports breaking changes.',
    load: async () => (await import('./commands/diff.js')).DIFF_COMMAND,
  },
  lsp: {
    summary: 'Language server for editors.',
    load: async () => (await import('./commands/lsp.js')).LSP_COMMAND,
  },
  schemas: {
    summary: 'Lists, prints and installs JSON Schemas of app files for editors.',
    load: async () => (await import('./commands/schemas.js')).SCHEMAS_COMMAND,
  },
  docs: {
    summary: 'Writes a reference of an app in Markdown.',
    load: async () => (await import('./commands/docs.js')).DOCS_COMMAND,
  },
  types: {
    summary: 'Writes TypeScript types of an app.',
    load: async () => (await import('./commands/types.js')).TYPES_COMMAND,
  },
  connect: {
    summary: 'Creates a connection of an app and stores it, encrypted.',
    load: async () => (await import('./commands/connect.js')).CONNECT_COMMAND,
  },
  connections: {
    summary: 'Lists, tests, refreshes, moves and removes stored connections.',
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
    summary: 'Lists the scenarios of a host: state, errors, next run.',
    load: async () => (await import('./commands/scenarios.js')).SCENARIOS_COMMAND,
  },
  rest: {
    summary: 'Serves the REST API v2.',
    load: async () => (await import('./commands/rest.js')).REST_COMMAND,
  },
  eval: {
    summary: 'Evaluates a template.',
    load: async () => (await import('./commands/eval.js')).EVAL_COMMAND,
  },
  info: {
    summary: 'Shows the components of an app and its diagnostics.',
    load: async () => (await import('./commands/info.js')).INFO_COMMAND,
  },
};

/** Other names of `iml run`, which the help does not list: `iml rpc listGenres` is `iml run rpc:listGenres`. */
export const RUN_ALIASES: readonly string[] = ['rpc', 'epoch'];
