import type { App, ModuleType } from '../../../engine/document/app.js';
import { CaseError } from '../../../shared/errors/engine-error.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { Fixture, FixtureInput, FixtureKind } from '../fixtures/fixture.js';
import { choiceProblems } from '../fixtures/fixture-shape.js';
import type { ComponentName } from './component-name.js';
import type { ReadCase } from './read-case.js';
import type { TestCase } from './test-case.js';

/**
 * The fixture of a case in an app, with its component and kind.
 *
 * @throws CaseError for an unknown component (lists the known ones) and for members that exclude each other
 */
export function fixtureOfCase({ name, document, played }: ReadCase, app: App): Fixture {
  const {
    $schema: _schema,
    note: _note,
    recorded: _recorded,
    secrets: _secrets,
    record: _record,
    todo: _todo,
    live: _live,
    component,
    kind,
    input,
    // Absent in a case to be recorded.
    expect = {},
    ...rest
  } = played;
  const refuse = (message: string, pointer: string): never => {
    throw new CaseError(message, { place: document.locationOf(pointer) });
  };
  const found = component === undefined ? undefined : readComponent(component);
  const kinds = found && findKind(found, app);
  if (found !== undefined && kinds === undefined) {
    const names = [...app[`${found.type}s` as const].keys()];
    const hint =
      didYouMean(found.name, names) ||
      (names.length > 0 ? ` It has ${names.slice(0, 20).join(', ')}.` : ' It has none.');
    refuse(`The app has no ${found.type} "${found.name}".${hint}`, '/component');
  }
  const run = kind ?? kinds;
  if (run === undefined) return refuse('A case with its own app needs a kind.', '');
  const fixture: Fixture = {
    ...rest,
    name,
    expect,
    kind: run,
    ...(found !== undefined && { component: found }),
    input: { checkParameters: found !== undefined, ...input },
  };
  const [problem] = [...choiceProblems(fixture), ...unreadInput(run, input)];
  return problem === undefined ? fixture : refuse(`${problem}.`, pointerIn(problem));
}

/** Problems start with the path of the object that has them. */
function pointerIn(problem: string): string {
  const [path = ''] = problem.split(/[ :]/, 1);
  return /^(?:exchanges|input|expect)(?:\.|$)/.test(path) ? `/${path.replaceAll('.', '/')}` : '';
}

/** The schema of cases allows no other type. */
function readComponent(component: NonNullable<TestCase['component']>): ComponentName {
  if (typeof component !== 'string') return component as ComponentName;
  const at = component.indexOf(':');
  return { type: component.slice(0, at) as ComponentName['type'], name: component.slice(at + 1) };
}

const KIND_OF_MODULE: Readonly<Record<ModuleType, FixtureKind>> = {
  action: 'action',
  search: 'search',
  trigger: 'trigger',
  instant_trigger: 'instant_trigger',
  responder: 'responder',
  universal: 'action',
};

/** The default kind of a component; undefined for an unknown component. */
export function findKind(
  { type, name }: { readonly type: string; readonly name: string },
  app: App,
): FixtureKind | undefined {
  switch (type) {
    case 'module': {
      const module = app.modules.get(name);
      return module && KIND_OF_MODULE[module.type];
    }
    case 'rpc':
      return app.rpcs.has(name) ? 'rpc' : undefined;
    case 'endpoint':
      return app.endpoints.has(name) ? 'endpoint' : undefined;
    case 'connection': {
      const connection = app.connections.get(name);
      return connection && (connection.type === 'oauth' ? 'oauth2' : 'connection');
    }
    default:
      return app.webhooks.has(name) ? 'webhook' : undefined;
  }
}

/** Members of `input` for every kind. */
const COMMON_INPUT = ['parameters', 'checkParameters', 'now', 'timezone', 'clock'] as const;

const OF_RUN = ['connection', 'data', 'webhook', 'payload', 'start'] as const;
const OF_HOOK = ['connection', 'data', 'webhook'] as const;
const OF_OAUTH = ['oauth', 'scopes', 'query'] as const;

/**
 * Other members of `input` that a kind reads: see `kind-runners.ts`. Fixtures of others, as `npm run conformance` plays
 * them, may have more.
 */
const INPUT_OF_KIND: Readonly<Record<FixtureKind, readonly (keyof FixtureInput)[]>> = {
  action: OF_RUN,
  search: OF_RUN,
  trigger: OF_RUN,
  instant_trigger: OF_RUN,
  responder: ['connection', 'data', 'webhook', 'payload'],
  rpc: ['connection', 'data', 'webhook', 'query'],
  endpoint: ['connection', 'data'],
  epoch: ['connection', 'data'],
  // A call does not read the connection, but the recorder writes it if the command has one.
  webhook: ['request', 'data', 'webhook', 'connections', 'connection'],
  attach: OF_HOOK,
  detach: OF_HOOK,
  update: OF_HOOK,
  connection: ['scopes'],
  oauth1: OF_OAUTH,
  oauth2: OF_OAUTH,
  'oauth2-refresh': ['data', 'expires'],
  'oauth2-invalidate': ['data'],
  scenario: ['settings', 'events', 'firstModule'],
};

/** Members of `input` that a run of this kind ignores. */
function unreadInput(kind: FixtureKind, input: FixtureInput | undefined): readonly string[] {
  const known: readonly string[] = [...INPUT_OF_KIND[kind], ...COMMON_INPUT];
  return Object.keys(input ?? {})
    .filter((name) => !known.includes(name))
    .map((name) => {
      const isStored = name === 'connection' && (kind === 'oauth2-refresh' || kind === 'oauth2-invalidate');
      const hint = isStored
        ? 'write the data of the connection as input.data'
        : `its input has ${known.join(', ')}`;
      return `input.${name}: a run of the kind ${kind} does not read it; ${hint}`;
    });
}
