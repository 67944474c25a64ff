import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/redaction/redact.js';
import { secretForms } from '../../src/redaction/secret-forms.js';
import { isSecretName } from '../../src/redaction/secret-names.js';
import { Turns } from '../../src/util/turns.js';

const HIDDEN = '[SANITIZED]';
const redactorOf = (...secrets: readonly string[]) => createRedactor({ secrets });
const isLatin1 = (text: string): boolean => /^[\0-\xff]*$/.test(text);
const percent = (bytes: Buffer): string => bytes.toString('hex').replace(/../g, '%$&');

describe('what is looked for', () => {
  it('of a key are its lines, but no frame, no short line and nothing empty', () => {
    const key =
      '-----BEGIN KEY-----\r\nMIIEvQIBADANBgkqhkiG\n\nexactly-16-units\nfifteen-letters\n-----END KEY-----\n';
    const { plain = [] } = secretForms(key) ?? {};
    const quoted = key.replaceAll('\r', '=0D').replaceAll('\n', '=0A');
    const words = quoted.replaceAll(' ', '_');
    const marked = quoted.replaceAll('-', '=2D');
    const written = [quoted, words, marked.replaceAll(' ', '=20'), marked.replaceAll(' ', '_')];
    const lower = written.map((text) => text.replace(/=../g, (digits) => digits.toLowerCase()));
    const lines = ['MIIEvQIBADANBgkqhkiG', 'exactly-16-units'];
    expect(new Set(plain)).toEqual(new Set([key, key.trim(), ...written, ...lower, ...lines]));
  });

  it.each([
    ['without blanks around it', '  padded-secret\n', 'padded-secret'],
    ['with what cannot be encoded replaced', 'abc\ud800defg', 'abc\ufffddefg'],
    ['with an escape of its own undone', 'abc%41defg', 'abcAdefg'],
    ['with three layers of them undone', '%25252541bcdef', '%41bcdef'],
    ['without zeros', 'abc\0defg', 'abcdefg'],
  ])('is a secret %s', (_, secret, form) => {
    expect(secretForms(secret)?.plain).toContain(form);
  });

  it('holds no zeros, which stand for what is no part of a secret', () => {
    expect(secretForms('abc\0defg')?.plain.join('')).not.toContain('\0');
  });

  it('is nothing too short that is left of a secret, and no fourth layer', () => {
    const quoted = '=20=20=20ab=20=20=20';
    expect(new Set(secretForms('   ab   ')?.plain)).toEqual(new Set(['   ab   ', '___ab___', quoted]));
    expect(secretForms('%25252541bcdef')?.plain).not.toContain('Abcdef');
  });

  it.each([
    ['ASCII', 'plain-word', 3, 0, 3],
    ['ASCII that is escaped', 'a "b"/c=', 3, 8, 3],
    ['signs of JSON in HTML', "'a'<b>&c", 3, 7, 5],
    ['what Latin-1 has', 'schlüssel-1', 4, 4, 3],
    ['what it has not', 'ключ-от-двери', 3, 4, 5],
    ['a little of both', 'ü-ключ', 3, 4, 3],
  ])(
    'is written in %s in so many ways, escaped in so many, in base64 in so many',
    (_, secret, ways, escaped, twice) => {
      // The two orders of bytes differ in their ends only.
      const inBase64 = isLatin1(secret) ? ways - 1 : ways;
      expect(secretForms(secret)?.hex).toHaveLength(ways);
      expect(secretForms(secret, 'common')?.hex).toEqual([Buffer.from(secret).toString('hex')]);
      expect(secretForms(secret, 'common')?.base64).toHaveLength(3);
      expect(secretForms(secret)?.base64).toHaveLength(3 * (inBase64 + escaped + twice));
    },
  );

  it('of a secret of more than 512 characters is nothing escaped within base64', () => {
    const [short, long] = ['ü'.repeat(512), 'ü'.repeat(513)].map((secret) => secretForms(secret));
    expect([short?.base64.length, long?.base64.length]).toEqual([3 * (3 + 4) + 9, 3 * 3 + 9]);
    const [signs, more] = ['~'.repeat(512), '~'.repeat(513)].map((secret) => secretForms(secret));
    // Digits of which one needs another sign in addresses; the form of addresses escapes `~`, in base64 once.
    expect([signs?.base64.length, more?.base64.length]).toEqual([3 * (2 + 2) + 27, 3 * 2 + 9]);
  });

  it.each([
    [48, 0],
    [49, 1],
    [57, 1],
    [58, 2],
    [256, 2],
    [257, 0],
  ])('of %i characters are %i kinds of lines of base64 in base64', (length, kinds) => {
    expect(secretForms('x'.repeat(length))?.base64).toHaveLength(3 * (2 + 3 + kinds));
  });

  it('of a long secret is no hex, and no base64 of base64', () => {
    const base64Of = (secret: string) => secretForms(secret)?.base64.length;
    expect([secretForms('x'.repeat(4096))?.hex.length, base64Of('x'.repeat(4096))]).toEqual([3, 15]);
    expect([secretForms('x'.repeat(4097))?.hex.length, base64Of('x'.repeat(4097))]).toEqual([0, 6]);
  });
});

describe('a secret is found exactly where it stands', () => {
  it.each(['¢', 'Á', '߿', 'ࠀ', '퟿', 'ﬀ', '𐀀', '\u{10ffff}'])('with %s encoded by bytes', (character) => {
    const secret = `${character}-secret-${character}`;
    const { text } = redactorOf(secret);
    expect(text(`a ${encodeURIComponent(secret)} b`)).toBe(`a ${HIDDEN} b`);
    expect(text(`a%20${percent(Buffer.from(secret))}%20b`)).toBe(`a%20${HIDDEN}%20b`);
    const wanted = [...secret].map((each) => `&#X${each.codePointAt(0)?.toString(16)};`).join('');
    expect(text(`a ${wanted} b`)).toBe(`a ${HIDDEN} b`);
  });

  it.each([
    ['bytes of Latin-1', 'café-sécret', percent(Buffer.from('café-sécret', 'latin1'))],
    ['bytes of Latin-1 behind each other', 'ÃéÃé-secret', percent(Buffer.from('ÃéÃé-secret', 'latin1'))],
    ['hex of Latin-1', 'café-sécret', Buffer.from('café-sécret', 'latin1').toString('hex')],
    ['base64 of Latin-1', 'café-sécret', Buffer.from('café-sécret', 'latin1').toString('base64')],
    [
      'hex with dots',
      'secret-word',
      Buffer.from('secret-word').toString('hex').match(/../g)?.join('.') ?? '',
    ],
    [
      'hex with plus signs',
      'secret-word',
      Buffer.from('secret-word').toString('hex').match(/../g)?.join('+') ?? '',
    ],
    [
      'hex with lines',
      'secret-word',
      Buffer.from('secret-word').toString('hex').match(/../g)?.join('_') ?? '',
    ],
    [
      'hex with tabs',
      'secret-word',
      Buffer.from('secret-word').toString('hex').match(/../g)?.join('\t') ?? '',
    ],
    [
      'hex with 0X',
      'secret-word',
      Buffer.from('secret-word').toString('hex').match(/../g)?.join(', 0X') ?? '',
    ],
    [
      'base64 with tabs',
      'secret-word',
      Buffer.from('secret-word')
        .toString('base64')
        .replace(/.{4}(?=.)/g, '$&\t'),
    ],
    [
      'base64 with \\r',
      'secret-word',
      Buffer.from('secret-word')
        .toString('base64')
        .replace(/.{4}(?=.)/g, '$&\r'),
    ],
  ])('in %s', (_, secret, form) => {
    expect(redactorOf(secret).text(`<${form}>`)).toBe(`<${HIDDEN}>`);
  });

  it.each([
    ['&#9999999; \\u{ffffff} secret-word &nope; %zz', `&#9999999; \\u{ffffff} ${HIDDEN} &nope; %zz`],
    ['73656372z65742d776f7264', '73656372z65742d776f7264'],
    ['73656372é65742d776f7264', '73656372é65742d776f7264'],
    ['c2Vjé cmV0LXdvcmQ', 'c2Vjé cmV0LXdvcmQ'],
    ['secret-wor', 'secret-wor'],
    ['xsecret-wordsecret-wordx', `x${HIDDEN}x`],
    ['secret-word secret-word', `${HIDDEN} ${HIDDEN}`],
  ])('and nothing else: %s', (raw, expected) => {
    expect(redactorOf('secret-word').text(raw)).toBe(expected);
  });

  it('with others that overlap it, touch it or are in it', () => {
    const { text } = redactorOf('abcdefghij', 'cdefgh', 'ghijkl', 'mnopqr');
    expect(text('<abcdefghijkl>')).toBe(`<${HIDDEN}>`);
    expect(text('<ghijklmnopqr>')).toBe(`<${HIDDEN}>`);
    expect(text('<abcdefghij cdefgh>')).toBe(`<${HIDDEN} ${HIDDEN}>`);
  });

  it('among many that begin alike and go on with any character', () => {
    const ends = [...'abcdefghijklmnopqrstuvwxyz', 'é', 'ÿ', 'Ā', 'ж', '語'];
    const secrets = ends.flatMap((end) => [`common-${end}1`, `${end}-begins`]);
    const { text } = redactorOf(...secrets);
    for (const secret of secrets) expect(text(`<${secret}>`)).toBe(`<${HIDDEN}>`);
    expect(text('common-A1 A-begins')).toBe('common-A1 A-begins');
  });

  it('in pieces, each of which keeps what is not part of it', () => {
    const { value } = redactorOf('first-of-two', 'whole-one');
    expect(
      value([
        'xx first-',
        'of-two yy',
        'whole-one',
        '',
        'k first',
        '-of',
        '-two',
        'whole-',
        'two first-of-two',
      ]),
    ).toEqual([
      `xx ${HIDDEN}`,
      `${HIDDEN} yy`,
      HIDDEN,
      '',
      `k ${HIDDEN}`,
      HIDDEN,
      HIDDEN,
      'whole-',
      `two ${HIDDEN}`,
    ]);
  });
});

describe('a body', () => {
  it('is cleaned of what stands further behind in it', () => {
    const { value, request } = redactorOf();
    const given = { message: 'hush-hush-1 is wrong', token: 'hush-hush-1' };
    const shown = { message: `${HIDDEN} is wrong`, token: HIDDEN };
    expect(value(given)).toEqual(shown);
    const body = JSON.stringify(given).replaceAll('-1', '-2');
    const sent = request({ method: 'POST', url: 'https://a.test/', headers: [], body });
    expect(sent.body).toBe(JSON.stringify(shown));
  });

  it('teaches what it hides without being shown', async () => {
    const redactor = createRedactor({ secrets: [], sanitize: ['response.body.a'] });
    await redactor.learnBody(
      'response',
      { a: 'at a path', list: [{ token: 'hush-hush-3' }] },
      new Turns(() => {}),
    );
    for (const body of [{ a: 'not at one' }, 'not at one', null, undefined, 5])
      await redactor.learnBody('request', body, new Turns(() => {}));
    const texts = ['at a path', 'hush-hush-3', 'not at one'];
    expect(texts.map(redactor.holdsSecret)).toEqual([true, true, false]);
  });
});

describe('a name says secret', () => {
  it.each([
    ['X-Key', true, false, false],
    ['Idempotency-Key', false, false, false],
    ['key', true, true, false],
    ['code', false, true, false],
    ['keys', false, false, false],
    ['my-token', true, true, true],
    ['next_token', false, false, false],
    ['tokens', false, false, false],
    ['pass', true, true, true],
    ['passing', false, false, false],
    ['P.A.S.S', true, true, true],
    [`${'a'.repeat(195)}token`, true, true, true],
    [`${'a'.repeat(196)}token`, false, false, false],
  ])('%s: %s in a header, %s in a query, %s in a body', (name, header, query, body) => {
    expect(isSecretName(name, 'header')).toBe(header);
    expect(isSecretName(name, 'query')).toBe(query);
    expect(isSecretName(name, 'body')).toBe(body);
  });
});
