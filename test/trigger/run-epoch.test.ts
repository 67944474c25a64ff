import { describe, expect, it } from 'vitest';
import { engineOf } from '../component/engine-of.js';
import { service } from '../run/helpers.js';

const ROWS = [3, 2, 1].map((id) => ({ id, name: `n${id}`, at: `2024-01-0${id}` }));

function epochOf(type: 'id' | 'date', epoch: unknown, chain = false): ReturnType<typeof engineOf>['engine'] {
  const trigger = { type, order: 'desc', id: '{{item.id}}', date: '{{item.at}}' };
  const request = { url: '/n', response: { iterate: '{{body}}', limit: 10, output: '{{item.id}}', trigger } };
  const communication = chain ? [{ url: '/first' }, request] : request;
  const { transport } = service(() => ({ json: ROWS }));
  return engineOf({ modules: { watch: { type: 'trigger', communication, epoch } } }, { transport }).engine;
}

const LABELLED = { response: { output: { label: '{{item.name}}', date: '{{item.at}}' } } };

describe('an epoch', () => {
  it.each(['id', 'date'] as const)('returns entries that a trigger by %s can start with', async (type) => {
    const engine = epochOf(type, LABELLED);
    const { entries, result, type: offered } = await engine.module('watch').epoch().orThrow();
    expect(result).toEqual(ROWS.map(({ name, at }) => ({ label: name, date: at })));
    expect(entries.map(({ id, label, date }) => [id, label, date])).toEqual(
      ROWS.map(({ id, name, at }) => [id, name, at]),
    );
    expect(offered).toBe(type);
    const { bundles } = await engine.module('watch').run({ data: entries[1]?.start });
    expect(bundles).toEqual([2, 3]);
  });

  it('overrides the last request of a chain', async () => {
    const { result, stats } = await epochOf('id', LABELLED, true).module('watch').epoch();
    expect(result).toHaveLength(3);
    expect(stats.requests).toBe(2);
  });

  it('warns about entries without a label', async () => {
    const { warnings, result } = await epochOf('id', { response: { output: '{{item.id}}' } })
      .module('watch')
      .epoch();
    expect(result).toEqual([3, 2, 1]);
    expect(warnings.map(({ code }) => code)).toEqual(['epoch-label']);
  });

  it('reports locations in the file that contains each part', async () => {
    const own = await epochOf('id', { response: { output: '{{bad()}}' } })
      .module('watch')
      .epoch();
    expect(own.error?.place?.pointer).toBe('/modules/watch/epoch/response/output');
    expect(own.entries).toBeUndefined();
    const { engine } = engineOf(
      {
        modules: {
          watch: { type: 'trigger', communication: { url: '/{{bad()}}' }, epoch: { response: {} } },
        },
      },
      { transport: service(() => ({})).transport },
    );
    const inherited = await engine.module('watch').epoch();
    expect(inherited.error?.place?.pointer).toBe('/modules/watch/communication/url');
  });

  it('is required', async () => {
    const missing = epochOf('id', undefined).module('watch').epoch();
    await expect(missing).rejects.toMatchObject({ code: 'USAGE' });
    const { engine } = engineOf({ modules: { get: { type: 'action', communication: { url: '/' } } } });
    await expect(engine.module('get').epoch()).rejects.toMatchObject({ code: 'USAGE' });
  });
});
