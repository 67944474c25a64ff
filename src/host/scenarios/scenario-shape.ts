import {
  described,
  FREE_OBJECT,
  type KeyShape,
  NUMBER,
  only,
  type Shape,
} from '../../engine/document/shape.js';
import { DEFAULT_SETTINGS } from '../../scenario/scenario-state.js';

const WORD: KeyShape = { types: ['string'] };
const COUNT: KeyShape = { types: ['number'] };
const YES_NO: KeyShape = { types: ['boolean'] };
const OBJECT: KeyShape = { types: ['object'] };

/** Kinds of error handlers. */
export const HANDLERS = ['ignore', 'resume', 'commit', 'rollback', 'break'] as const;

/** `"ignore"`, or an object with options. */
export const HANDLER_SHAPE: Shape = {
  title: 'an error handler',
  required: ['kind'],
  keys: {
    kind: described('How to handle the error.', WORD, HANDLERS),
    output: described('For resume: the substitute output.'),
    automatic: described('For break: whether to retry automatically. Default: true.', YES_NO),
    attempts: described('For break: number of attempts.', COUNT),
    intervalMs: described('For break: interval between attempts in milliseconds.', COUNT),
  },
};

/** A module of a scenario. */
export const STEP_SHAPE: Shape = {
  title: 'a module of a scenario',
  required: ['app', 'module'],
  keys: {
    id: described(
      'Id by which later modules read its output: `{{2.email}}`. Default: its position, starting at 1.',
      COUNT,
    ),
    app: described('Name of the app.', WORD),
    module: described('Name of the module.', WORD),
    connection: described('Name of a connection.', WORD),
    parameters: described('Values of its parameters. Strings are templates.', OBJECT),
    filter: described('Template that decides whether a bundle enters this module.', {
      types: ['string', 'boolean'],
    }),
    onError: described('Error handler.', { types: ['string', 'object'], shape: HANDLER_SHAPE }, HANDLERS),
  },
};

/** The webhook that starts a scenario. */
export const WEBHOOK_SHAPE: Shape = {
  title: 'the webhook of a scenario',
  required: ['app', 'webhook'],
  keys: {
    app: described('Name of the app.', WORD),
    webhook: described('Name of its webhook.', WORD),
    connection: described('Name of a connection.', WORD),
    uid: described('For shared webhooks: the user id at the remote API.', WORD),
    parameters: described('Values of its parameters.', OBJECT),
  },
};

const SETTINGS_ABOUT: Readonly<Record<keyof typeof DEFAULT_SETTINGS, string>> = {
  scheduling:
    '`timed`: every so often; `instant`: when an event comes in. It follows from the rest of the scenario.',
  sequential: 'Runs one at a time, and none while an incomplete execution is unresolved. Default: false.',
  storeIncomplete: 'Whether to store failed bundles as incomplete executions. Default: false.',
  dataLoss:
    'Whether failed bundles may be dropped if the storage for incomplete executions is full. Default: false.',
  autoCommit: 'Whether to commit each bundle of the first module separately. Default: true.',
  maxErrors: 'Consecutive errors that deactivate the scenario. Default: 3.',
  instantMaxErrors: 'Same as maxErrors for instant scheduling. Default: maxErrors.',
  instantRateLimit: 'What a RateLimitError does under instant scheduling. Default: suspend.',
  minRetryAfterMs: 'Minimum suspension by Retry-After in milliseconds. Default: 1000.',
  maxRetryAfterMs: 'Maximum suspension by Retry-After in milliseconds; 0 ignores it. Default: one day.',
};

const SETTINGS_SHAPE: Shape = {
  title: 'settings of a scenario',
  keys: Object.fromEntries(
    Object.entries(DEFAULT_SETTINGS).map(([name, value]): [string, KeyShape] => [
      name,
      described(SETTINGS_ABOUT[name as keyof typeof SETTINGS_ABOUT], { types: [typeof value as 'string'] }),
    ]),
  ),
};

/** A scenario. */
export const SCENARIO_SHAPE: Shape = {
  title: 'a scenario',
  required: ['name'],
  keys: {
    name: described('Unique name.', WORD),
    webhook: described('Webhook that starts it.', only(WEBHOOK_SHAPE)),
    everyMinutes: described('Interval in minutes.', NUMBER),
    cron: described('Cron schedule: `minute hour day month weekday`.', WORD),
    timezone: described('Time zone of `cron`, such as `Europe/Prague`. Default: UTC.', WORD),
    ordered: described(
      'Whether to process events one at a time in order of arrival. Default: false.',
      YES_NO,
    ),
    settings: described('How it runs.', { ...FREE_OBJECT, shape: SETTINGS_SHAPE }),
    modules: described('The modules, in order.', { types: ['array'], each: true, shape: STEP_SHAPE }),
  },
};

/** A scenario file, as for `iml serve --scenarios`. */
export const SCENARIO_FILE_SHAPE: Shape = {
  title: 'a file of scenarios',
  required: ['scenarios'],
  keys: {
    $schema: described('URL of the schema of this file.', WORD),
    scenarios: described('The scenarios.', { types: ['array'], each: true, shape: SCENARIO_SHAPE }),
  },
};
