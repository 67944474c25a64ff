import type { Parts } from '../iml/values/work.js';
import { MAX_OVERLAP, SANITIZED, type ShowBody, type ValueRules } from './redact-value.js';
import { isSecretName } from './secret-names.js';
import { spendParts } from './spend-parts.js';
import { undoEscapes } from './text-view.js';

/**
 * Hides what stands in XML under secret names. What texts and attributes hold of a secret that was cut is hidden where it is shown, as
 * far as it may be.
 */
export function* readXmlText(text: string, rules: ValueRules): Parts<ShowBody<string>> {
  yield;
  const elements = hideElements(text, rules);
  yield;
  const named = hideAttributes(elements, rules);
  yield;
  return () => showXml(named, rules);
}

function* showXml(named: string, rules: ValueRules): Parts<string> {
  // An element has two tags, an attribute one sign. A secret that is cut at the end of what is shown has its other half behind it.
  const end = spendParts(named, '<=', rules.budget.value / 2, rules.budget) + MAX_OVERLAP;
  return (yield* hideCut(named.slice(0, end), rules.pieces)) + named.slice(end);
}

const XML_ELEMENT = /<([\w:.-]{1,100})((?:\s[^<>]{0,1000})?)>(?:<!\[CDATA\[)?([^<]+)(?=<\/)/g;
const XML_VALUE = /=(?:"([^"<]*)"|'([^'<]*)')/g;

function hideElements(text: string, rules: ValueRules): string {
  return text.replace(XML_ELEMENT, (whole, name: string, rest: string, value: string) => {
    if (!isSecretName(name, 'body')) return whole;
    rules.onHidden(value.replace(/\]\]>$/, '').trim(), 'name');
    return `<${name}${rest}>${SANITIZED}`;
  });
}

function hideAttributes(text: string, rules: ValueRules): string {
  type Value = string | undefined;
  return text.replace(XML_VALUE, (whole, double: Value, single: Value, offset: number) => {
    if (!isSecretName(nameBefore(text, offset), 'body')) return whole;
    rules.onHidden(double ?? single, 'name');
    return `="${SANITIZED}"`;
  });
}

/** Read backwards: a pattern that starts with the name tries each of its letters as a start, at every place. */
function nameBefore(text: string, end: number): string {
  let start = end;
  while (start > 0 && end - start < MAX_NAME && isNameSign(text.charCodeAt(start - 1))) start--;
  return text.slice(start, end);
}

const MAX_NAME = 100;

/** Letters, digits and `_:.-`. */
function isNameSign(unit: number): boolean {
  const lower = unit | 0x20;
  if (lower >= 0x61 && lower <= 0x7a && unit < 0x80) return true;
  return (unit >= 0x30 && unit <= 0x3a) || unit === 0x5f || unit === 0x2d || unit === 0x2e;
}

/** A text between tags, or the value of an attribute, and where it stands. */
interface XmlText {
  /** How the tag in front of it begins; of an attribute its own behind `@`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  shown: string;
}

/** Takes out secrets that were cut into neighbours, or into those of one name. */
function* hideCut(xml: string, pieces: ValueRules['pieces']): Parts<string> {
  const texts = listTexts(xml);
  yield;
  let isCut = false;
  for (const group of groupTexts(texts)) {
    isCut = clearTexts(group, pieces) || isCut;
    yield;
  }
  return isCut ? joinTexts(xml, texts) : xml;
}

/** Texts, attributes, and what of either has one name. */
function groupTexts(texts: readonly XmlText[]): readonly (readonly XmlText[])[] {
  const isAttribute = ({ name }: XmlText): boolean => name.startsWith('@');
  return [texts.filter((text) => !isAttribute(text)), texts.filter(isAttribute)].flatMap((kind) => {
    const named = groupByName(kind);
    return named.length > 1 ? [kind, ...named] : [kind];
  });
}

function groupByName(texts: readonly XmlText[]): readonly (readonly XmlText[])[] {
  const groups = new Map<string, XmlText[]>();
  for (const text of texts) {
    const group = groups.get(text.name);
    if (group === undefined) groups.set(text.name, [text]);
    else group.push(text);
  }
  return [...groups.values()];
}

/** References are undone, as they may stand in each half; a text that has some cannot be shown in part. */
function clearTexts(texts: readonly XmlText[], pieces: ValueRules['pieces']): boolean {
  if (texts.length < 2) return false;
  const read = texts.map(({ shown }) => (shown.includes('&') ? undoEscapes(shown) : undefined) ?? shown);
  const cleaned = pieces(read);
  if (cleaned === read) return false;
  for (const [index, text] of texts.entries()) {
    const shown = cleaned[index] ?? '';
    if (shown !== read[index]) text.shown = read[index] === text.shown ? shown : SANITIZED;
  }
  return true;
}

function joinTexts(xml: string, texts: readonly XmlText[]): string {
  let shown = '';
  let at = 0;
  for (const text of texts) {
    shown += xml.slice(at, text.start) + text.shown;
    at = text.end;
  }
  return shown + xml.slice(at);
}

/** What does not end goes on to the end. */
function listTexts(xml: string): readonly XmlText[] {
  const texts: XmlText[] = [];
  let name = '<';
  const add = (start: number, end: number): void => {
    const shown = xml.slice(start, end);
    if (/\S/.test(shown)) texts.push({ name, start, end, shown });
  };
  for (let at = 0; at < xml.length; ) {
    const open = findSign(xml, '<', at);
    add(at, open);
    if (xml.startsWith('<!--', open)) at = findSign(xml, '-->', open) + 3;
    else if (xml.startsWith(CDATA, open)) {
      const end = findSign(xml, ']]>', open);
      add(open + CDATA.length, end);
      at = end + 3;
    } else {
      at = findSign(xml, '>', open) + 1;
      name = nameBehind(xml, open) || name;
      listAttributes(xml.slice(open, at), open, texts);
    }
  }
  return texts;
}

/** The start of a tag as far as its name; empty for one that ends an element. */
function nameBehind(xml: string, start: number): string {
  let end = start + 1;
  while (end - start <= MAX_NAME && isNameSign(xml.charCodeAt(end))) end++;
  return end === start + 1 ? '' : xml.slice(start, end);
}

const CDATA = '<![CDATA[';

function findSign(text: string, sign: string, from: number): number {
  const at = text.indexOf(sign, from);
  return at === -1 ? text.length : at;
}

function listAttributes(tag: string, offset: number, texts: XmlText[]): void {
  if (!tag.includes('=')) return;
  for (const { 0: written, 1: double, 2: single, index } of tag.matchAll(XML_VALUE)) {
    const shown = double ?? single ?? '';
    const start = offset + index + 2;
    if (shown !== '')
      texts.push({ name: `@${nameBefore(tag, index)}`, start, end: start + written.length - 3, shown });
  }
}
