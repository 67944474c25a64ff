import { rewriteInChunks } from '../values/size-limits.js';
import { onText } from './arguments.js';
import type { FunctionsIn } from './signatures.js';

/** Source: https://help.make.com/text-and-binary-functions; quotes are not escaped. [doc][inf] */
const HTML_ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

// Make does not document the set: the characters that Markdown can escape, and those of its common extensions. [choice]
const MARKDOWN_MARKS = /[\\`*_{}[\]()#+\-.!|~<>]/g;

export const HTML_FUNCTIONS: FunctionsIn<'html'> = {
  escapeHTML: onText((text) => rewriteInChunks(text, escapeHtml)),
  escapeMarkdown: onText((text) => rewriteInChunks(text, escapeMarkdown)),
  stripHTML: onText((text) => new HtmlStripper(text).strip()),
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (mark) => HTML_ENTITIES.get(mark) ?? mark);
}

function escapeMarkdown(text: string): string {
  return text.replace(MARKDOWN_MARKS, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** Matches only the start of a tag name, because a name may be as long as the text. */
const NAME = /\/?[a-z][^\s/>]{0,7}/iy;
const DELIMITER = /["'>]/g;
const RAW_TEXT_ENDS: ReadonlyMap<string, RegExp> = new Map([
  ['script', /<\/script(?=[\s/>])/gi],
  ['style', /<\/style(?=[\s/>])/gi],
]);

/**
 * Removes HTML tags in one pass, with comments, declarations and the content of `<script>` and `<style>`. `<br>` becomes
 * a line break. A `<` that opens no tag and entities are kept. [choice]
 */
class HtmlStripper {
  private readonly text: string;
  private readonly lastClose: number;
  /** False after an unterminated quote or tag: quotes are then ignored, which keeps the time linear. */
  private hasPairedQuotes = true;

  constructor(text: string) {
    this.text = text;
    this.lastClose = text.lastIndexOf('>');
  }

  strip(): string {
    let result = '';
    let position = 0;
    let open = this.text.indexOf('<');
    while (open !== -1) {
      const name = this.nameAt(open + 1);
      const end = this.findEnd(name, open);
      result += this.text.slice(position, end === undefined ? open + 1 : open);
      if (end !== undefined && name === 'br') result += '\n';
      position = end ?? open + 1;
      open = this.text.indexOf('<', position);
    }
    return result + this.text.slice(position);
  }

  /** Returns the name of a tag in lower case, with a leading slash for a closing tag; `!` or `?` for other markup. */
  private nameAt(position: number): string {
    const first = this.text.charAt(position);
    if (first === '!' || first === '?') return first;
    NAME.lastIndex = position;
    return NAME.exec(this.text)?.[0].toLowerCase() ?? '';
  }

  /** Returns the offset after the markup that opens at `open`; undefined if there is no markup. */
  private findEnd(name: string, open: number): number | undefined {
    if (this.text.startsWith('<!--', open)) return this.offsetAfter('-->', open + 4);
    if (name === '' || open > this.lastClose) return undefined;
    if (name === '!' || name === '?') return this.offsetAfter('>', open);
    const end = this.tagEnd(open);
    const closing = RAW_TEXT_ENDS.get(name);
    if (closing === undefined) return end;
    closing.lastIndex = end;
    const match = closing.exec(this.text);
    return match === null ? this.text.length : this.tagEnd(match.index);
  }

  /** Returns the offset after the `>` of a tag. Quoted attribute values may contain `>`. */
  private tagEnd(open: number): number {
    if (!this.hasPairedQuotes) return this.offsetAfter('>', open);
    DELIMITER.lastIndex = open;
    for (let match = DELIMITER.exec(this.text); match !== null; match = DELIMITER.exec(this.text)) {
      if (match[0] === '>') return match.index + 1;
      if (!this.followsEquals(match.index)) continue;
      const closing = this.text.indexOf(match[0], match.index + 1);
      if (closing === -1) break;
      DELIMITER.lastIndex = closing + 1;
    }
    this.hasPairedQuotes = false;
    return this.offsetAfter('>', open);
  }

  /** A quote opens an attribute value only after an equals sign. */
  private followsEquals(position: number): boolean {
    let before = position - 1;
    while (before > 0 && /\s/.test(this.text.charAt(before))) before--;
    return this.text.charAt(before) === '=';
  }

  /** Returns the offset after the next occurrence of `mark`, or the end of the text. */
  private offsetAfter(mark: string, from: number): number {
    const index = this.text.indexOf(mark, from);
    return index === -1 ? this.text.length : index + mark.length;
  }
}
