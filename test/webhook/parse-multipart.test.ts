import { describe, expect, it } from 'vitest';
import { cpuMsOf } from '../cpu-time.js';
import { call, webhookOf } from './helpers.js';

const TYPE = 'multipart/form-data; boundary=b';

/** The body of a call as expressions read it. */
async function parse(text: string | Uint8Array, type = TYPE, maxFields = 100): Promise<unknown> {
  const webhook = webhookOf({ output: { body: '{{body}}' } }, { webhookLimits: { maxFields } });
  const { bundles, error } = await webhook.handle(call(Buffer.from(text), type));
  if (error !== undefined) throw error;
  return Object(bundles?.[0]).body;
}

function part(head: string, content: string): string {
  return `--b\r\n${head}\r\n\r\n${content}\r\n`;
}

describe('a multipart body', () => {
  it('parses the output of the platform', async () => {
    const form = new FormData();
    form.append('a', 'x');
    form.append('f', new Blob(['\r\n--b\r\n'], { type: 'image/png' }), 'p"q.png');
    const request = new Request('https://x.test', { method: 'POST', body: form });
    const body = new Uint8Array(await request.arrayBuffer());
    expect(await parse(body, request.headers.get('content-type') ?? '', 10)).toEqual({
      a: 'x',
      f: { name: 'p"q.png', mime: 'image/png', data: new Uint8Array(Buffer.from('\r\n--b\r\n')) },
    });
  });

  it('accepts quoted boundaries, preambles and epilogues', async () => {
    const text = `hello\r\n${part('Content-Disposition: form-data; name="a"', '1')}--b--\r\nbye`;
    expect(await parse(text, 'multipart/form-data; boundary="b"; charset=utf-8')).toEqual({ a: '1' });
  });

  it('reads file names in all notations, without their folders', async () => {
    const names = [
      'filename="C:\\dir\\a.txt"',
      'filename="x.txt"; filename*=UTF-8\'\'a%20%C3%A4.txt',
      'filename=a.txt',
    ];
    const read = await Promise.all(
      names.map((name) => parse(`${part(`Content-Disposition: form-data; name="f"; ${name}`, '')}--b--`)),
    );
    expect(read.map((form) => (form as { f: { name: string } }).f.name)).toEqual([
      'a.txt',
      'a ä.txt',
      'a.txt',
    ]);
  });

  it('treats binary parts without a name as files, and decodes text by its charset', async () => {
    const binary = await parse(
      `${part('Content-Disposition: form-data; name="f"\r\nContent-Type: image/png', 'x')}--b--`,
    );
    expect(binary).toEqual({ f: { name: undefined, mime: 'image/png', data: new Uint8Array([0x78]) } });
    const latin = Buffer.from(
      `${part('Content-Disposition: form-data; name="t"\r\nContent-Type: text/plain; charset=latin1', 'é')}--b--`,
      'latin1',
    );
    expect(await parse(latin, TYPE, 5)).toEqual({ t: 'é' });
  });

  it('returns lists for names that repeat or end with []', async () => {
    const text = ['a', 'a', 'c[]']
      .map((name) => part(`Content-Disposition: form-data; name="${name}"`, name))
      .join('');
    expect(await parse(`${text}--b--`)).toEqual({ a: ['a', 'a'], c: ['c[]'] });
  });

  it('omits parts without a name', async () => {
    expect(await parse(`${part('X: y', '1')}--b\r\n\r\nbare\r\n--b--`)).toEqual({});
  });

  it.each([
    ['no boundary in the header', '--b--', 'multipart/form-data'],
    ['a boundary that does not occur', 'x', TYPE],
    ['no end', part('Content-Disposition: form-data; name="a"', '1'), TYPE],
    ['a part with unfinished headers', '--b\r\nContent-Disposition: form-data\r\n--b--', TYPE],
    ['unfinished headers', `${part(`X: ${'y'.repeat(20_000)}`, '')}--b--`, TYPE],
  ])('refuses %s', async (_, text, type) => {
    await expect(parse(text, type)).rejects.toMatchObject({ code: 'WEBHOOK_PAYLOAD' });
  });

  it('limits the number of parts', async () => {
    const three = part('Content-Disposition: form-data; name="a"', '1').repeat(3);
    expect(await parse(`${three}--b--`, TYPE, 3)).toEqual({ a: ['1', '1', '1'] });
    await expect(parse(`${three}--b--`, TYPE, 2)).rejects.toThrow('more than 2 parts');
  });

  it('is not slowed down by backslashes', async () => {
    const head = `Content-Disposition: form-data; name="${'\\'.repeat(16_000)}`;
    expect(await cpuMsOf(() => parse(`${part(head, '1')}--b--`))).toBeLessThan(500);
  });
});
