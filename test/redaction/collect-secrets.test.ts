import { describe, expect, it } from 'vitest';
import { secretValues } from '../../src/engine/parameters/secret-values.js';
import {
  collectGiven,
  collectNamedSecrets,
  collectSecrets,
  nameSecrets,
} from '../../src/engine/redaction/secrets.js';

describe('secrets in data', () => {
  it('have the nearest name, or the first one if they repeat', () => {
    const data = { a: { key: 'key-key-key' }, list: ['in-a-list', { b: 'key-key-key' }] };
    expect([...nameSecrets('no-name-at-all', data)]).toEqual([
      ['no-name-at-all', ''],
      ['key-key-key', 'key'],
      ['in-a-list', 'list'],
    ]);
  });

  it.each([
    ['2030-01-01', false],
    ['2030-01-01T10:00:00Z', false],
    ['2030-01-01T10:00:00.000+0100', false],
    ['2030-01-01T10:00', false],
    ['2030-01-01x', true],
    ['x2030-01-01', true],
    ['2030-01-01T10:00:00 Z', true],
    ['12345', false],
    ['123456', true],
  ])('%s is collected: %s', (value, isSecret) => {
    expect(collectSecrets({ value })).toEqual(isSecret ? [value] : []);
    expect(collectSecrets({ Base_URL: value })).toEqual([]);
  });

  it('are collected under a secret name in any form, numbers included', () => {
    expect(collectSecrets({ token: '2030-01-01', pin: 123456, count: 123456, password: true })).toEqual([
      '2030-01-01',
      '123456',
    ]);
    expect(
      collectNamedSecrets({ a: [{ token: { b: 'named-text', list: ['named-too'] } }], c: 'not-named' }),
    ).toEqual(['named-text', 'named-too']);
  });

  it('are found by name at any position', () => {
    const loop: Record<string, unknown> = {
      a: null,
      b: [null, 5, 'text', undefined, new Date(0)],
      c: 'text',
    };
    loop['self'] = loop;
    loop['list'] = [{}, { token: 'the-second' }, [{ token: 'the-third' }]];
    expect(collectNamedSecrets(loop)).toEqual(['the-second', 'the-third']);
    expect(collectNamedSecrets({ password: [true, null, undefined, 1234567] })).toEqual(['1234567']);
  });

  it('that cannot be read lead to a language error', () => {
    const data = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw new Error('No.');
      },
    });
    expect(() => collectSecrets(data)).toThrow(expect.objectContaining({ code: 'IML_HOST_VALUE' }));
  });

  it('are collected from secret names first, then from up to 5001 other texts', () => {
    const texts = Array.from({ length: 7000 }, (_, index) => `text-${index}`);
    const data = { texts, profile: { accessToken: 'the-token', texts: ['text-7', 'text-9999'] } };
    const found = collectSecrets(data);
    expect(found[0]).toBe('the-token');
    // One more than the limit of a redactor, so that it can detect the excess.
    expect(found).toHaveLength(5002);
    expect(collectSecrets(texts.slice(0, 4999), { pin: 123456 })).toHaveLength(5000);
    expect(collectNamedSecrets({ texts, profile: { accessToken: 'the-token' } })).toEqual(['the-token']);
    expect(collectNamedSecrets({ password: texts })).toHaveLength(5001);
  });

  it('are found at any depth', () => {
    const wrap = (value: unknown, levels: number, into: (value: unknown) => unknown): unknown => {
      let wrapped = value;
      for (let level = 0; level < levels; level++) wrapped = into(wrapped);
      return wrapped;
    };
    const inLists = wrap({ token: 'the-end' }, 50_000, (value) => [value]);
    const inObjects = wrap({ token: 'the-end' }, 9000, (value) => ({ a: value }));
    for (const data of [inLists, inObjects]) {
      expect(collectSecrets(data)).toEqual(['the-end']);
      expect(collectNamedSecrets(data)).toEqual(['the-end']);
    }
    expect(collectSecrets(wrap('no-name', 50_000, (value) => [value]))).toEqual(['no-name']);
    // Also in parameters, whose form is less deep.
    expect(secretValues([], inObjects)).toEqual(['the-end']);
  });

  it('are found under a secret name at any level, and in a value with two names', () => {
    const shared = ['in-two-places', { note: 'in-two-too' }];
    const data = { url: shared, other: 'text-text', credentials: { list: shared, region: 'eu-central-1' } };
    expect([...nameSecrets(data)]).toEqual([
      ['in-two-places', 'list'],
      ['in-two-too', 'note'],
      ['text-text', 'other'],
    ]);
  });

  it('in the input of a run are refused if too many have a secret name', () => {
    const rows = (count: number, name: string): readonly unknown[] =>
      Array.from({ length: count }, (_, index) => ({ [name]: `text-${index}`, more: null }));
    expect(collectGiven(undefined, undefined)).toEqual([]);
    expect(collectGiven(rows(100, 'note'))).toHaveLength(100);
    const found = collectGiven(rows(100_000, 'note'), { token: 'the-token' });
    expect([found[0], found.length]).toEqual(['the-token', 5002]);
    expect(collectGiven(rows(5000, 'token'))).toHaveLength(5000);
    const refusal = expect.objectContaining({ code: 'IML_LIMIT' });
    expect(() => collectGiven(rows(5001, 'token'))).toThrow(refusal);
    expect(() => collectGiven(rows(200_000, 'note'))).toThrow(refusal);
    expect(() => collectSecrets(new Array(1e9))).toThrow(refusal);
  });

  it('in bytes are found under any name, in the first 4096 bytes', () => {
    expect(collectSecrets({ key: Buffer.from('bytes-of-a-key'), region: Buffer.from('bytes-too') })).toEqual([
      'bytes-of-a-key',
      'bytes-too',
    ]);
    expect(collectSecrets([new Uint8Array(5000).fill(0x61)])).toEqual(['a'.repeat(4096)]);
  });

  it.each<[string, readonly unknown[], readonly string[]]>([
    ['are none if it is absent', [undefined, undefined], []],
    ['are of any kind', [undefined, ['one-one'], { note: 'two-two' }], ['one-one', 'two-two']],
    [
      'are sorted by the name that is more specific',
      [{ note: 'one-one' }, { pin: 'two-two' }],
      ['two-two', 'one-one'],
    ],
    ['are listed once', [{ note: 'one-one', token: 'one-one' }], ['one-one']],
    ['have a minimum length', [{ token: 'short', note: 'longer' }], ['longer']],
    [
      'exclude values that are not data',
      [{ at: new Date(0), map: new Map([['token', 'in-a-map']]), run: () => 1 }],
      [],
    ],
  ])('in the input of a run, %s', (_what, data, expected) => {
    expect(collectGiven(...data)).toEqual(expected);
  });

  it('under a secret name are all collected, or the run is refused', () => {
    const pins = (count: number): object => ({ pin: Array.from({ length: count }, (_, at) => `pin-${at}.`) });
    expect(collectGiven(pins(5000), { note: 'something' })).toHaveLength(5001);
    expect(() => collectGiven(pins(5001))).toThrow(
      'Too many secrets: more than 5000 values have a secret name. A run cannot redact so many.',
    );
    expect(() => collectSecrets(pins(5001))).not.toThrow();
  });

  it.each<[string, (value: unknown) => object]>([
    ['data', (value) => ({ credentials: value, other: value })],
    ['data in reverse order', (value) => ({ other: value, credentials: value })],
    ['a list', (value) => ({ a: [{ credentials: value }, { region: value }] })],
    ['a list in reverse order', (value) => ({ a: [{ region: value }, { credentials: value }] })],
  ])('in a value with two names are collected under the more specific one: %s', (_what, hold) => {
    const shared = { list: ['the-shared-one'], note: '2024-01-01' };
    expect([...nameSecrets(hold(shared)).keys()]).toContain('the-shared-one');
    expect(collectNamedSecrets(hold(shared))).toEqual(['the-shared-one']);
    const list = ['eu-central-1'];
    expect(collectSecrets(hold({ region: list }))).toEqual([]);
    expect(collectSecrets(hold({ region: list, token: list }))).toEqual(['eu-central-1']);
  });
});
