import fc from 'fast-check';
import { expect, it } from 'vitest';
import { call, webhookOf } from './helpers.js';

const CONTENT_TYPE = fc.oneof(
  fc.constantFrom(
    undefined,
    'application/json',
    'application/json; charset=utf-16',
    'application/vnd.x+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'multipart/form-data; boundary="',
    'multipart/form-data',
    'application/xml',
    'text/xml; charset=nonsense',
    'text/plain; charset=latin1',
    'image/png',
    'application/octet-stream',
    'constructor/__proto__',
    ';;;=',
  ),
  fc.string({ maxLength: 30 }).map((text) => text.replace(/[^\t\x20-\x7e]/g, '')),
);

/** Random bytes, and texts that fit their content type. */
const BODY = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.json().map((text) => Buffer.from(text)),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  fc
    .array(fc.constantFrom('--b', '\r\n', '--', 'Content-Disposition: form-data; name="a"', ':', 'x', '"'))
    .map((p) => Buffer.from(p.join(''))),
  fc
    .array(
      fc.constantFrom('<a>', '</a>', '<', '&amp;', '<!DOCTYPE a>', '<?xml version="1.0"?>', ' x="1"', ']]>'),
    )
    .map((p) => Buffer.from(p.join(''))),
  fc.array(fc.constantFrom('a', '=', '&', '%', '+', '[]', '%zz')).map((p) => Buffer.from(p.join(''))),
);

const ENCODING = fc.constantFrom(undefined, undefined, undefined, 'gzip', 'br', 'deflate', 'identity', 'x');

const WEBHOOK = webhookOf({
  verification: { condition: "{{body.type = 'verify'}}", respond: { body: '{{body}}' } },
  condition: '{{ifempty(body.skip, true)}}',
  output: { body: '{{body}}', query: '{{query}}', hash: '{{sha256(rawBody)}}' },
  respond: { type: 'text', body: '{{body.answer}}' },
});

it('returns a response to any payload of any content type, and never throws', async () => {
  await fc.assert(
    fc.asyncProperty(
      BODY,
      CONTENT_TYPE,
      ENCODING,
      fc.webQueryParameters(),
      async (body, type, encoding, query) => {
        const given = call(body, type, { url: `/h?${query}` });
        const headers =
          encoding === undefined
            ? given.headers
            : [...given.headers, ['content-encoding', encoding] as const];
        const result = await WEBHOOK.handle({ ...given, headers });
        expect(result.response).toBeInstanceOf(Response);
        expect([200, 400, 413, 415, 500]).toContain(result.response.status);
        expect(result.response.status === 200).toBe(result.ok);
        if (!result.ok) expect(result.bundles).toBeUndefined();
        else expect(result.bundles.length).toBe(result.verification ? 0 : 1);
      },
    ),
    { numRuns: 1500 },
  );
});

it('outputs the items that pass iterate, in order', async () => {
  const webhook = webhookOf({
    iterate: { container: '{{body}}', condition: '{{item > 0}}' },
    output: '{{item}}',
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer()), async (numbers) => {
      const { bundles } = await webhook.handle(
        call(Buffer.from(JSON.stringify(numbers)), 'application/json'),
      );
      expect(bundles).toEqual(numbers.filter((number) => number > 0));
    }),
    { numRuns: 200 },
  );
});
