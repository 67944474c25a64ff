import { expect, it } from 'vitest';
import { EngineError } from '../../src/index.js';
import { writeRunHar } from '../../src/tools/dev/backend.js';

const UNSEEN = '\u009b\u200b\u202e\u{e0041}\u2800';

const AT = { requestIndex: 0, page: 1, at: 1000 } as const;
const BODY = { ref: 'a', size: 1 };

const EVENTS: Parameters<typeof writeRunHar>[0]['events'] = [
  {
    ...AT,
    seq: 0,
    kind: 'request',
    method: 'GET',
    url: 'https://a.test/',
    headers: [],
    body: undefined,
    size: 0,
    place: {},
  },
  { ...AT, seq: 1, kind: 'response', status: 200, headers: {}, body: BODY, size: 1, durationMs: 5 },
];

it('escapes invisible characters of a stored response and restores them', async () => {
  const text = await writeRunHar({
    events: EVENTS,
    history: { body: async () => ({ kind: 'text', text: UNSEEN }) },
    recorded: () => Promise.reject(new EngineError('HOST_MISSING', 'It is gone.')),
    creator: { name: 'test', version: '1' },
  });
  expect(text).not.toMatch(/[\u009b\u200b\u202e\u{e0041}\u2800]/u);
  expect(JSON.parse(text)).toMatchObject({ log: { entries: [{ response: { content: { text: UNSEEN } } }] } });
});
