import type { Command } from './command.js';
import type { Io } from './io.js';

/** A command, loaded when it is called, so that a start costs no more than what it runs. */
export type CommandEntry = { readonly summary: string } & (
  | { readonly load: () => Promise<Command> }
  /** A command of another folder, which reads its own arguments and prints its own help. */
  | { readonly loadWhole: () => Promise<(args: readonly string[], io: Io) => Promise<number>> }
);

/** The commands in the order of the help. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  run: {
    summary: 'Runs a module of an app and prints its bundles.',
    load: async () => (await import('./run.js')).RUN_COMMAND,
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
    load: async () => (await import('./events.js')).EVENTS_COMMAND,
  },
  scenarios: {
    summary: 'Shows the scenarios of a host: state, errors, next run.',
    load: async () => (await import('./commands/scenarios.js')).SCENARIOS_COMMAND,
  },
  rest: {
    summary: 'Serves the REST API v2 of the platform.',
    loadWhole: async () => (await import('../rest/command.js')).runRest,
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
