import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPatternSet } from '../../src/redaction/pattern-set.js';
import { createRedactor } from '../../src/redaction/redact.js';
import { cpuMsOf } from '../cpu-time.js';

/** Secrets with what encodings treat differently: letters, marks of addresses, JSON, XML, shells, letters beyond ASCII. */
const SECRETS: readonly string[] = [
  'plainword1',
  'sk_live_51Hx-ABC.def~',
  `p/ä+ "q"\\n=&?x`,
  '<a href="%41">&amp;\'',
  'back\\slash\\u0041',
  'ключ-от-двери',
  'emoji 🔑 pair',
  'a+b c+d e',
  '%2F%252F literal',
  'ab+cd/ef==',
  'new\nline\tand tab',
  'six-6!',
  "xyz!*()'w",
  'Ä&xyz;¼ñä',
  'Tr0ub4dor&3<x>',
  `${'long enough for lines of base64, ~?>'.repeat(3)}.`,
];

type Form = (secret: string) => string;

const bytes = (secret: string, encoding: BufferEncoding = 'utf8'): Buffer => Buffer.from(secret, encoding);
const highFirst = (secret: string): Buffer => bytes(secret, 'utf16le').swap16();
const hex = (secret: string): string[] => bytes(secret).toString('hex').match(/../g) ?? [];
const base64 = (secret: string): string => bytes(secret).toString('base64');
const unit = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0');
const units = (secret: string): string[] => secret.split('');
const twoDigits = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');
const quotedPrintable = (secret: string): string =>
  [...bytes(secret)]
    .map((byte) =>
      byte > 31 && byte < 127 && byte !== 61 ? String.fromCharCode(byte) : `=${twoDigits(byte)}`,
    )
    .join('');
const lowerPercent = (text: string): string => text.replace(/%../g, (digits) => digits.toLowerCase());
const strictly = (secret: string): string =>
  encodeURIComponent(secret).replace(/[!'()*]/g, (sign) => `%${twoDigits(sign.charCodeAt(0))}`);
const jsonEscaping = (what: RegExp, digitsOf: (unit: string) => string) => (secret: string) =>
  JSON.stringify({ token: secret }).replace(what, (each) => `\\u${digitsOf(each)}`);
const capitals = (each: string): string => unit(each).toUpperCase();
const inDotNet = (secret: string): string => {
  const text = jsonEscaping(/[<>&+'`\x7f-\uffff]/g, capitals)(secret);
  return text.replaceAll('\\"', '\\u0022');
};
const qWord =
  (blank: string, toDigits: (byte: number) => string, plain = /[A-Za-z0-9]/) =>
  (secret: string): string =>
    [...bytes(secret).toString('latin1')]
      .map((each) => (plain.test(each) ? each : each === ' ' ? blank : `=${toDigits(each.charCodeAt(0))}`))
      .join('');
const LATIN_1_ENTITIES = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
  ...{ ä: '&auml;', Ä: '&Auml;', ñ: '&ntilde;', '¼': '&frac14;' },
};
const NEEDS_NO_SEMICOLON = { '&': '&amp', '<': '&lt', '>': '&gt', '"': '&quot' };
const named = (secret: string, names: Readonly<Record<string, string>>): string =>
  secret.replace(/[^\w;]/g, (each) => names[each] ?? each);
const inLines = (text: string, length: number, end: string): string =>
  text.replace(new RegExp(`.{${length}}`, 'g'), `$&${end}`);

/** Every way a secret may be written that a redactor knows. */
const FORMS: Readonly<Record<string, Form>> = {
  'as it is': (secret) => secret,
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (digits) => digits.toLowerCase()),
  'every byte percent-encoded': (secret) =>
    hex(secret)
      .map((digits) => `%${digits}`)
      .join(''),
  'percent-encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'percent-encoded three times': (secret) =>
    encodeURIComponent(encodeURIComponent(encodeURIComponent(secret))),
  'in an encoded address': encodeURI,
  'in a form': (secret) => new URLSearchParams({ a: secret }).toString().slice(2),
  'in JSON': (secret) => JSON.stringify(secret).slice(1, -1),
  'in JSON with slashes escaped': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'in JSON in JSON': (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  'in JSON in a query': (secret) => encodeURIComponent(JSON.stringify(secret).slice(1, -1)),
  'as \\uXXXX': (secret) =>
    units(secret)
      .map((each) => `\\u${unit(each)}`)
      .join(''),
  'as \\uXXXX in capitals': (secret) =>
    units(secret)
      .map((each) => `\\u${unit(each).toUpperCase()}`)
      .join(''),
  'as \\u{X}': (secret) => [...secret].map((each) => `\\u{${each.codePointAt(0)?.toString(16)}}`).join(''),
  'as \\xXX': (secret) =>
    hex(secret)
      .map((digits) => `\\x${digits}`)
      .join(''),
  'as \\uXXXX in JSON in JSON': (secret) =>
    units(secret)
      .map((each) => `\\\\u${unit(each)}`)
      .join(''),
  'with HTML entities by name': (secret) =>
    secret.replace(
      /[&<>"']/g,
      (each) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }[each]};`,
    ),
  'with HTML entities in decimal': (secret) =>
    [...secret].map((each) => `&#${each.codePointAt(0)};`).join(''),
  'with HTML entities in hex': (secret) =>
    [...secret].map((each) => `&#x${each.codePointAt(0)?.toString(16).toUpperCase()};`).join(''),
  'with HTML entities in JSON': (secret) =>
    JSON.stringify([...secret].map((each) => `&#${each.codePointAt(0)};`).join('')).slice(1, -1),
  'with HTML entities without semicolons': (secret) =>
    [...secret].map((each) => `&#${each.codePointAt(0)}`).join(''),
  'with HTML entities in hex without semicolons': (secret) =>
    [...secret].map((each) => `&#x${each.codePointAt(0)?.toString(16)}`).join(''),
  'with HTML entities behind many zeros': (secret) =>
    [...secret].map((each) => `&#${String(each.codePointAt(0)).padStart(12, '0')};`).join(''),
  'with HTML entities in hex behind many zeros': (secret) =>
    [...secret].map((each) => `&#X${each.codePointAt(0)?.toString(16).padStart(12, '0')};`).join(''),
  'with HTML entities of Latin-1': (secret) => named(secret, LATIN_1_ENTITIES),
  'with HTML entities of Latin-1, percent-encoded': (secret) =>
    encodeURIComponent(named(secret, LATIN_1_ENTITIES)),
  'with HTML entities that need no semicolon, without it': (secret) => named(secret, NEEDS_NO_SEMICOLON),
  'as %uXXXX': (secret) =>
    units(secret)
      .map((each) => `%u${unit(each)}`)
      .join(''),
  'by escape()': (secret) =>
    secret.replace(/[^\w@*+./-]/g, (each) =>
      each < '\u0100' ? `%${twoDigits(each.charCodeAt(0))}` : `%u${unit(each)}`,
    ),
  'with what needs it in quoted-printable': quotedPrintable,
  'in quoted-printable with soft line breaks': (secret) =>
    quotedPrintable(secret).replace(/((?:=..|[^=]){5})/g, '$1=\r\n'),
  'as composed letters': (secret) => secret.normalize('NFC'),
  'as letters with marks of their own': (secret) => secret.normalize('NFD'),
  'as UTF-8 read as Latin-1': (secret) => bytes(secret).toString('latin1'),
  'in hex': (secret) => hex(secret).join(''),
  'in hex in capitals': (secret) => hex(secret).join('').toUpperCase(),
  'in hex of both cases': (secret) =>
    hex(secret)
      .map((digits, index) => (index % 2 === 0 ? digits.toUpperCase() : digits))
      .join(''),
  'in hex with colons': (secret) => hex(secret).join(':'),
  'in quoted-printable': (secret) =>
    inLines(
      hex(secret)
        .map((byte) => `=${byte.toUpperCase()}`)
        .join(''),
      75,
      '=\r\n',
    ),
  'in hex with blanks': (secret) => hex(secret).join(' '),
  'in hex with dashes in capitals': (secret) => hex(secret).join('-').toUpperCase(),
  'in hex as bytes of a list': (secret) =>
    hex(secret)
      .map((digits) => `0x${digits}`)
      .join(', '),
  'in hex in lines': (secret) => inLines(hex(secret).join(''), 8, '\n'),
  'in hex of UTF-16': (secret) => bytes(secret, 'utf16le').toString('hex'),
  'in base64': base64,
  'in base64 for addresses': (secret) => bytes(secret).toString('base64url'),
  'in base64, percent-encoded': (secret) => encodeURIComponent(base64(secret)),
  'in base64 in lines': (secret) => inLines(base64(secret), 6, '\r\n'),
  'in base64 in lines that are indented': (secret) => inLines(base64(secret), 6, '\n    '),
  'in base64 in lines, in JSON': (secret) => JSON.stringify(inLines(base64(secret), 6, '\n')).slice(1, -1),
  'in base64 behind a name': (secret) => base64(`user:${secret}`),
  'in base64 between others': (secret) => base64(`{"a":1,"token":"${secret}","b":2}`),
  'in base64 twice': (secret) => base64(base64(secret)),
  'in base64 twice behind a name': (secret) => base64(`Basic ${base64(`user:${secret}`)}`),
  'in base64 of UTF-16': (secret) => bytes(secret, 'utf16le').toString('base64'),
  'in base64 of UTF-16 with high bytes first': (secret) => highFirst(secret).toString('base64'),
  'in base64 of UTF-16 with high bytes first, between others': (secret) =>
    highFirst(`x${secret}yz`).toString('base64'),
  'in hex of UTF-16 with high bytes first': (secret) => highFirst(secret).toString('hex'),
  'in base64 of UTF-16 behind another letter': (secret) => bytes(`x${secret}`, 'utf16le').toString('base64'),
  'in base64, percent-encoded before, behind a name': (secret) => base64(`id:${encodeURIComponent(secret)}`),
  'in base64 of a form': (secret) => base64(new URLSearchParams({ a: '1', b: secret }).toString()),
  'in base64 of JSON': (secret) => base64(JSON.stringify({ a: 1, token: secret, b: 2 })),
  'in base64 of JSON with slashes escaped': (secret) =>
    base64(JSON.stringify({ token: secret }).replaceAll('/', '\\/')),
  'in base64 for addresses, of JSON': (secret) =>
    bytes(JSON.stringify({ token: secret })).toString('base64url'),
  'in base64 of JSON in ASCII': (secret) => base64(jsonEscaping(/[\x7f-\uffff]/g, unit)(secret)),
  'in base64 of JSON in ASCII with slashes escaped': (secret) =>
    base64(jsonEscaping(/[\x7f-\uffff]/g, unit)(secret).replaceAll('/', '\\/')),
  'in base64 of JSON in ASCII with capitals': (secret) =>
    base64(jsonEscaping(/[\x7f-\uffff]/g, capitals)(secret)),
  'in base64 of JSON as Go writes it': (secret) => base64(jsonEscaping(/[<>&\u2028\u2029]/g, unit)(secret)),
  'in base64 of JSON as .NET writes it': (secret) => base64(inDotNet(secret)),
  'in base64 of an encoded address': (secret) => base64(`https://a.test/?a=${encodeURI(secret)}`),
  'in base64, percent-encoded before in lower case': (secret) =>
    base64(lowerPercent(encodeURIComponent(secret))),
  'in base64 of a form in lower case': (secret) =>
    base64(lowerPercent(new URLSearchParams({ a: secret }).toString())),
  'in base64, percent-encoded before by RFC 3986': (secret) => base64(strictly(secret)),
  'in base64, percent-encoded before by RFC 3986 in lower case': (secret) =>
    base64(lowerPercent(strictly(secret))),
  'in base64 of base64 for addresses': (secret) => base64(bytes(secret).toString('base64url')),
  'in base64 of base64 for addresses behind a name': (secret) =>
    base64(`token ${bytes(`user:${secret}`).toString('base64url')}`),
  'in base64 of base64, percent-encoded before': (secret) => base64(encodeURIComponent(base64(secret))),
  'in base64 of base64 in lines of 64': (secret) => base64(inLines(base64(secret), 64, '\n')),
  'in base64 of base64 in lines of 76': (secret) => base64(`key: ${inLines(base64(secret), 76, '\n')}`),
  'in quoted-printable but for letters and digits': qWord('=20', twoDigits),
  'in quoted-printable but for letters and digits, in lower case': qWord('=20', (byte) =>
    twoDigits(byte).toLowerCase(),
  ),
  'in a Q-word': (secret) => `=?UTF-8?Q?${qWord('_', twoDigits)(secret)}?=`,
  'in a Q-word in lower case': (secret) =>
    `=?UTF-8?Q?${qWord('_', (byte) => twoDigits(byte).toLowerCase())(secret)}?=`,
  'in a Q-word that escapes what it has to': qWord('_', twoDigits, /[A-Za-z0-9!*+/-]/),
  'with what needs it in quoted-printable, in lower case': (secret) =>
    quotedPrintable(secret).replace(/=../g, (digits) => digits.toLowerCase()),
  'in hex with blanks that do not break': (secret) => hex(secret).join('\u00a0'),
  'in hex with blanks of no width': (secret) => hex(secret).join('\u200b'),
  'in hex as texts of a list': (secret) => JSON.stringify(hex(secret)),
  'in hex as texts of a list, in JSON': (secret) => JSON.stringify(JSON.stringify(hex(secret))),
  'in hex as texts of a list of Python': (secret) => `['${hex(secret).join("', '")}']`,
  'in base64 with blanks that do not break': (secret) => inLines(base64(secret), 6, '\u00a0'),
  'in base64 with blanks of no width': (secret) => inLines(base64(secret), 6, '\u200b'),
  'in base64 for addresses, in JSON with blanks that do not break': (secret) =>
    inLines(bytes(secret).toString('base64url'), 6, '\\u00a0'),
  'in hex with bars': (secret) => hex(secret).join('|'),
  'in hex with slashes': (secret) => hex(secret).join('/'),
  'in hex as bytes with semicolons': (secret) =>
    hex(secret)
      .map((digits) => `0X${digits.toUpperCase()}`)
      .join('; '),
  'as UTF-16 read as bytes': (secret) => bytes(secret, 'utf16le').toString('latin1'),
};

const CASES = Object.entries(FORMS).flatMap(([name, form]) =>
  SECRETS.filter((secret) => name !== 'as UTF-16 read as bytes' || /^[\0-\xff]*$/.test(secret)).map(
    (secret): [string, string, string] => [name, secret, form(secret)],
  ),
);

describe('a secret', () => {
  it.each(CASES)('%s: %j', (_name, secret, form) => {
    const redactor = createRedactor({ secrets: [secret] });
    const cleaned = redactor.text(`one\n<${form}>\ntwo`);
    expect(redactor.holdsSecret(form)).toBe(true);
    expect(cleaned).toContain('[SANITIZED]');
    // Nothing is left that could be decoded to it, and what stands around it stays.
    expect(cleaned.length).toBeLessThan('one\n<[SANITIZED]>\ntwo'.length + 60);
    expect(cleaned).toMatch(/^one\n<[\s\S]*>\ntwo$/);
    expect(createRedactor({ secrets: [secret] }).text(cleaned)).toBe(cleaned);
  });

  it.each([
    ['in base64', base64],
    ['in base64, percent-encoded', (secret: string) => encodeURIComponent(base64(secret))],
    ['in base64 for addresses', (secret: string) => bytes(secret).toString('base64url')],
    ['in base64 twice', (secret: string) => base64(base64(secret))],
    ['in base64 twice, percent-encoded', (secret: string) => encodeURIComponent(base64(base64(secret)))],
    ['in base64 twice behind a name', (secret: string) => base64(base64(`us:${secret}`)).slice(4)],
  ])('%s leaves no digit and no padding of any layer, whatever its length', (_name, form) => {
    for (let length = 6; length < 40; length++) {
      const secret = Array.from({ length }, (_, at) =>
        String.fromCharCode(0x30 + ((at * 7 + length) % 74)),
      ).join('');
      const cleaned = createRedactor({ secrets: [secret] }).text(`<${form(secret)}>`);
      expect(cleaned).toBe('<[SANITIZED]>');
    }
  });

  it('in any form hides nothing where it is not', () => {
    const redactor = createRedactor({ secrets: SECRETS });
    const texts = [
      ...['2024-01-01T10:00:00.000Z', 'c2VjcmV0IG5vdCB0aGlz', 'deadbeefdeadbeefdeadbeef', '%20%2B%22'],
      ...['&lt;a&gt; &amp; &quot;', '{"a":"\\u0041\\n"}', 'plain word 1', 'the quick brown fox'],
    ];
    expect(texts.filter((text) => redactor.holdsSecret(text))).toEqual([]);
    expect(texts.map(redactor.text)).toEqual(texts);
  });

  it('that comes to be known between two others is found with them, wherever it stands', () => {
    const redactor = createRedactor({ secrets: ['first-secret'] });
    const text = 'third-secret . first-secret . second-secret . tail';
    redactor.text(text);
    redactor.learn(['second-secret-that-is-longer', 'second-secret']);
    redactor.text(text);
    redactor.learn(['third-secret']);
    expect(redactor.text(text)).toBe('[SANITIZED] . [SANITIZED] . [SANITIZED] . tail');
  });

  it('that ends behind what is shown of a long text is not shown by half', () => {
    const redactor = createRedactor({ secrets: ['a-secret-of-some-length'] });
    const shown = redactor.text(`${'.'.repeat(256 * 1024 - 8)}a-secret-of-some-length${'.'.repeat(100)}`);
    expect(shown.slice(-40)).toBe(`${'.'.repeat(17)}[SANITIZED]… [left out]`);
  });
});

describe('a set of patterns', () => {
  it('finds what looking for each of them finds', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 30 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 200 }),
        (patterns, text) => {
          const set = createPatternSet();
          const found = new Set<string>();
          const wanted = new Set<string>();
          const units = Uint16Array.from(text, (each) => each.charCodeAt(0));
          for (const [index, pattern] of patterns.entries()) {
            set.add(pattern);
            if (index % 7 === 0) set.scan(units, () => {});
          }
          set.scan(units, (last, length) => found.add(`${last} ${length}`));
          for (let last = 0; last < text.length; last++) {
            const ending = patterns.filter((pattern) => text.slice(0, last + 1).endsWith(pattern));
            if (ending.length > 0) wanted.add(`${last} ${Math.max(...ending.map(({ length }) => length))}`);
          }
          // Each part of the set tells its own longest; the longest of all is among them.
          for (const each of wanted) expect(found).toContain(each);
          for (const each of found) {
            const [last = 0, length = 0] = each.split(' ').map(Number);
            expect(patterns).toContain(text.slice(last - length + 1, last + 1));
          }
        },
      ),
    );
  });

  it('is made ready in between other work: searched, added to and made ready at once meanwhile', () => {
    const long = Array.from({ length: 40 }, (_, index) =>
      `${String.fromCharCode(0x400 + index)}`.repeat(2000),
    );
    const text = Uint16Array.from(`${long.join('')}later`, (each) => each.charCodeAt(0));
    const ends = (set: ReturnType<typeof createPatternSet>): number => {
      const found = new Set<number>();
      set.scan(text, (last) => found.add(last));
      return found.size;
    };
    for (const searches of [false, true]) {
      const set = createPatternSet();
      for (const pattern of long) set.add(pattern);
      let stops = 0;
      for (const _ of set.settle()) {
        if (++stops === 3) set.add('later');
        if (stops === 5 && searches) expect(ends(set)).toBe(41);
      }
      expect(stops).toBeGreaterThan(6);
      expect(ends(set)).toBe(41);
    }
  });

  it('takes time in proportion to text and patterns, whatever they are', { retry: 3 }, async () => {
    const measure = (size: number): Promise<number> =>
      cpuMsOf(() => {
        const set = createPatternSet();
        // All begin alike, and the text nearly is one of them all the time.
        for (let index = 0; index < 100; index++) set.add(`${'a'.repeat(size / 10)}${index}`);
        for (const pattern of Array.from({ length: 200 }, (_, at) =>
          String.fromCharCode(0x400 + at).repeat(8),
        )) {
          set.add(pattern);
        }
        set.scan(new Uint16Array(size * 100).fill(0x61), () => {});
      });
    await measure(1000);
    const small = await measure(2000);
    expect(await measure(16_000)).toBeLessThan(40 * small + 100);
  });
});

/** A failing answer with as many members named `token` as there are, each another text. */
function failure(count: number): string {
  const members = Array.from({ length: count }, (_, index) => ({ token: `tok-${index}-${'x'.repeat(90)}` }));
  return JSON.stringify({ error: 'no', members });
}

describe('redacting an answer', () => {
  const headers = { 'content-type': 'application/json' };
  const redact = (body: string): Promise<number> =>
    cpuMsOf(() => {
      const redactor = createRedactor({ secrets: ['connection-secret'] });
      redactor.response({ status: 400, headers, body: Buffer.from(body) });
      redactor.text('The service said tok-1');
    });

  it('takes time in proportion to the secrets in it', { retry: 3 }, async () => {
    await redact(failure(100));
    const small = await redact(failure(400));
    expect(small).toBeLessThan(1000);
    expect(await redact(failure(1600))).toBeLessThan(12 * small + 100);
  });

  it.each<[string, (size: number) => string]>([
    ['words that could be names of XML', (size) => `<${'a'.repeat(size)}`],
    ['attributes without names', (size) => `<${'=""'.repeat(size / 3)}`],
    ['short elements', (size) => '<a>b</a>'.repeat(size / 8)],
    ['elements with references', (size) => `<r>${'<a>&lt;</a>'.repeat(size / 11)}`],
    ['comments that do not end', (size) => '<!--'.repeat(size / 4)],
    ['CDATA that does not end', (size) => '<![CDATA['.repeat(size / 9)],
    ['queries', (size) => `see ${'?a=b;c '.repeat(size / 7)}`],
    ['question marks', (size) => `see ${'?&='.repeat(size / 3)}`],
    ['pairs parted by semicolons', (size) => 'a=b;'.repeat(size / 4)],
    ['elements that do not end', (size) => `<${'<a b>c'.repeat(size / 6)}`],
    ['numbers', (size) => JSON.stringify(Array.from({ length: size / 2 }, () => 1))],
    ['escapes', (size) => '%41\\u0041&#65;'.repeat(size / 14)],
    ['hex', (size) => '73:'.repeat(size / 3)],
    ['base64', (size) => 'QUJD\n'.repeat(size / 5)],
  ])('takes time in proportion to its size: %s', { retry: 3 }, async (_name, body) => {
    const measure = (size: number): Promise<number> => redact(body(size));
    await measure(50_000);
    const small = await measure(100_000);
    expect(await measure(800_000)).toBeLessThan(24 * small + 150);
  });

  it('shows no more than a bound, and still knows what the rest holds', () => {
    const redactor = createRedactor({ secrets: [] });
    const items = Array.from({ length: 30_000 }, (_, index) => ({ id: index, text: 'x'.repeat(40) }));
    const body = { items, last: { token: 'behind-the-bound-1234' } };
    const shown = JSON.stringify(redactor.response({ status: 400, headers, body }).body);
    expect(shown.length).toBeLessThan(3 * 1024 * 1024);
    expect(shown).toContain('[left out]');
    expect(redactor.text('behind-the-bound-1234')).toBe('[SANITIZED]');
  });
});
