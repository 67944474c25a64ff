import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/engine/redaction/redact.js';

const HIDDEN = '[SANITIZED]';
const redactorOf = (...secrets: readonly string[]) => createRedactor({ secrets });

describe('a secret number', () => {
  it('is redacted in any position of a value, but not inside of other numbers', () => {
    const { value } = redactorOf('77889900', 'another secret');
    expect(value({ x: 77889900, list: [1, 77889900, [{ y: -77889900 }]], z: 77889900n })).toEqual({
      x: HIDDEN,
      list: [1, HIDDEN, [{ y: HIDDEN }]],
      z: HIDDEN,
    });
    const others = [7788990, 778899001, 77889900.5, 0, Number.NaN];
    expect(value(others)).toEqual(others);
  });

  it('is redacted in a body, parsed or as text', () => {
    const { request, response } = redactorOf('77889900');
    const headers = { 'content-type': 'application/json' };
    const body = '{"id":77889900,"n":1}';
    const shown = { id: HIDDEN, n: 1 };
    expect(response({ status: 200, headers, body: JSON.parse(body) }).body).toEqual(shown);
    expect(response({ status: 200, headers, body: Buffer.from(body) }).body).toBe(JSON.stringify(shown));
    const sent = request({ method: 'POST', url: 'https://a.test/', headers: [], body });
    expect(sent.body).toBe(JSON.stringify(shown));
  });

  it.each([
    ['with leading zeros', '0077889900', 77889900],
    ['with trailing zeros', '77889900.50', 77889900.5],
    ['below zero', '-778899', -778899],
    ['between blanks', ' 778899\n', 778899],
    ['with more digits than a number holds', '12345678901234567890123', 1.2345678901234568e22],
  ])('is detected in any notation: %s', (_, secret, number) => {
    expect(redactorOf(secret).value({ number })).toEqual({ number: HIDDEN });
  });

  it.each([
    ['with few digits', '000042', 42],
    ['of five digits', '012345', 12345],
    ['in hex', '0x12d687', 0x12d687],
    ['with a letter', '12345678a', 12345678],
  ])('is not a text that only resembles a number: %s', (_, secret, number) => {
    expect(redactorOf(secret).value({ number })).toEqual({ number });
  });

  it('is registered together with its secret', () => {
    const redactor = redactorOf();
    expect(redactor.value([123456])).toEqual([123456]);
    redactor.collect(['123456']);
    expect(redactor.value([123456, 123457])).toEqual([HIDDEN, 123457]);
  });

  it('is registered separately for a redactor with more secrets', () => {
    const base = redactorOf('123456');
    const more = base.fork();
    more.collect(['654321']);
    expect(more.value([123456, 654321, 7])).toEqual([HIDDEN, HIDDEN, 7]);
    expect(base.value([123456, 654321])).toEqual([HIDDEN, 654321]);
  });
});
