import { describe, expect, it } from 'vitest';
import { readScenarioFile, type ScenarioEntry } from '../../src/host/scenarios/scenario-file.js';

function read(scenarios: unknown): readonly ScenarioEntry[] {
  return readScenarioFile(JSON.stringify({ scenarios }, undefined, 2), 'scenarios.json');
}

const MODULE = { app: 'crm', module: 'watch' };
const TIMED = { name: 's', everyMinutes: 15, modules: [MODULE] };

describe('a scenario file', () => {
  it('accepts JSON with comments, and applies defaults', () => {
    const text = `{
      // Incoming events.
      "scenarios": [
        { "name": "welcome", "webhook": { "app": "crm", "webhook": "contacts" }, },
      ],
    }`;
    expect(readScenarioFile(text, 'scenarios.json')).toEqual([
      {
        name: 'welcome',
        webhook: { app: 'crm', webhook: 'contacts', connection: undefined, uid: undefined, parameters: {} },
        everyMinutes: undefined,
        ordered: false,
        settings: {},
        modules: [],
      },
    ]);
  });

  it('assigns module ids by position, and accepts all members', () => {
    const [entry] = read([
      {
        name: 's',
        webhook: { app: 'crm', webhook: 'w', connection: 'work', uid: '7', parameters: { team: 1 } },
        ordered: true,
        everyMinutes: 0.5,
        settings: { storeIncomplete: true },
        modules: [
          MODULE,
          { ...MODULE, id: 9, connection: 'box', parameters: { to: '{{1.email}}' }, filter: '{{1.ok}}' },
        ],
      },
    ]);
    expect(entry).toMatchObject({
      webhook: { connection: 'work', uid: '7', parameters: { team: 1 } },
      ordered: true,
      everyMinutes: 0.5,
      settings: { storeIncomplete: true },
      modules: [
        { id: 1, ...MODULE, parameters: {}, filter: undefined },
        { id: 9, connection: 'box', parameters: { to: '{{1.email}}' }, filter: '{{1.ok}}' },
      ],
    });
  });

  it('accepts all error handlers, as a word or with settings', () => {
    const handlers = [
      'ignore',
      'commit',
      'rollback',
      { kind: 'resume', output: { a: 1 } },
      'break',
      { kind: 'break', attempts: 5, intervalMs: 1000, automatic: false },
    ];
    const [entry] = read([{ ...TIMED, modules: handlers.map((onError) => ({ ...MODULE, onError })) }]);
    expect(entry?.modules.map(({ onError }) => onError)).toEqual([
      ...[{ kind: 'ignore' }, { kind: 'commit' }, { kind: 'rollback' }],
      { kind: 'resume', output: { a: 1 } },
      { kind: 'break', automatic: undefined, attempts: undefined, intervalMs: undefined },
      { kind: 'break', automatic: false, attempts: 5, intervalMs: 1000 },
    ]);
  });

  const mistakes: readonly (readonly [string, unknown, string, string])[] = [
    ['no object', 1, '/scenarios/0', 'Expected an object.'],
    [
      'an unknown member',
      { ...TIMED, names: 1 },
      '/scenarios/0/names',
      '"names" is not known here. Did you mean "name"?',
    ],
    ['no name', { everyMinutes: 1, modules: [MODULE] }, '/scenarios/0', '"name" is missing.'],
    ['an empty name', { ...TIMED, name: '' }, '/scenarios/0', '"name" is missing.'],
    ['a name that is not a string', { ...TIMED, name: 5 }, '/scenarios/0/name', '"name" has to be a text.'],
    [
      'neither webhook nor schedule',
      { name: 's', modules: [MODULE] },
      '/scenarios/0',
      'A scenario needs a "webhook", or "everyMinutes" or "cron" for a polling trigger.',
    ],
    [
      'no modules',
      { name: 's', everyMinutes: 1 },
      '/scenarios/0',
      'A scenario without a webhook needs modules.',
    ],
    [
      'an interval of zero',
      { ...TIMED, everyMinutes: 0 },
      '/scenarios/0/everyMinutes',
      '"everyMinutes" has to be more than 0.',
    ],
    [
      'a schedule that is a string',
      { ...TIMED, everyMinutes: '5' },
      '/scenarios/0/everyMinutes',
      '"everyMinutes" has to be a number.',
    ],
    [
      'modules that are not a list',
      { ...TIMED, modules: {} },
      '/scenarios/0/modules',
      '"modules" has to be a list.',
    ],
    [
      'a module without an app',
      { ...TIMED, modules: [{ module: 'm' }] },
      '/scenarios/0/modules/0',
      '"app" is missing.',
    ],
    [
      'a filter that is not a template',
      { ...TIMED, modules: [{ ...MODULE, filter: [] }] },
      '/scenarios/0/modules/0/filter',
      '"filter" has to be a template.',
    ],
    [
      'an unknown handler',
      { ...TIMED, modules: [{ ...MODULE, onError: 'retry' }] },
      '/scenarios/0/modules/0/onError',
      '"onError" is one of ignore, resume, commit, rollback, break.',
    ],
    [
      'an unknown member of a webhook',
      { name: 's', webhook: { app: 'a', webhook: 'w', url: 'x' } },
      '/scenarios/0/webhook/url',
      '"url" is not known here.',
    ],
    [
      'ordered that is a string',
      { ...TIMED, ordered: 'yes' },
      '/scenarios/0/ordered',
      '"ordered" has to be true or false.',
    ],
  ];

  it.each(mistakes)('reports the source location of %s', (_title, entry, pointer, message) => {
    expect(() => read([entry])).toThrowError(
      expect.objectContaining({
        code: 'HOST_FILE',
        message: expect.stringContaining(message),
        place: expect.objectContaining({ file: 'scenarios.json', pointer }),
      }),
    );
  });

  it('requires unique scenario names', () => {
    expect(() => read([TIMED, TIMED])).toThrowError(
      expect.objectContaining({
        code: 'HOST_FILE',
        place: expect.objectContaining({ pointer: '/scenarios/1/name' }),
      }),
    );
  });

  it('reports the source location of a JSON syntax error', () => {
    expect(() => readScenarioFile('{ "scenarios": [', 'scenarios.json')).toThrowError(
      expect.objectContaining({ code: 'SPEC_JSON' }),
    );
  });
});
