import type { FunctionTable } from '../environment/environment.js';
import { rewriteInChunks } from '../values/size-limits.js';
import { onText } from './arguments.js';

/** Source: https://help.make.com/text-and-binary-functions; quotes stay as they are. [doc][inf] */
const HTML_ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

// The set is open in the reference: what Markdown itself lets a backslash escape, and the marks of its usual extensions.
const MARKDOWN_MARKS = /[\\`*_{}[\]()#+\-.!|~<>]/g;

export const HTML_FUNCTIONS: FunctionTable = {
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

/** No more of a name than tells the names below from others: it may be as long as the text. */
const NAME = /\/?[a-z][^\s/>]{0,7}/iy;
const DELIMITER = /["'>]/g;
const RAW_TEXT_ENDS: ReadonlyMap<string, RegExp> = new Map([
  ['script', /<\/script(?=[\s/>])/gi],
  ['style', /<\/style(?=[\s/>])/gi],
]);

/**
 * Takes the tags out of a text in one pass: comments and declarations go, `<br>` becomes a line break, `<script>` and
 * `<style>` go with their content. A `<` that opens no tag stays. Entities stay as they are.
 * [choice]
 */
class HtmlStripper {
  private readonly text: string;
  private readonly lastClose: number;
  /** False once a quote or a tag was left open: from then on quotes mean nothing, so that no scan happens twice. */
  private quotesPair = true;

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

  /** The name of a tag in lower case, with a slash in front if it closes; `!` or `?` for other markup. */
  private nameAt(position: number): string {
    const first = this.text.charAt(position);
    if (first === '!' || first === '?') return first;
    NAME.lastIndex = position;
    return NAME.exec(this.text)?.[0].toLowerCase() ?? '';
  }

  /** The offset behind the markup that opens at `open`, undefined if none does. */
  private findEnd(name: string, open: number): number | undefined {
    if (this.text.startsWith('<!--', open)) return this.behind('-->', open + 4);
    if (name === '' || open > this.lastClose) return undefined;
    if (name === '!' || name === '?') return this.behind('>', open);
    const end = this.tagEnd(open);
    const closing = RAW_TEXT_ENDS.get(name);
    if (closing === undefined) return end;
    closing.lastIndex = end;
    const match = closing.exec(this.text);
    return match === null ? this.text.length : this.tagEnd(match.index);
  }

  /** Behind the `>` of a tag, which may hold others in quoted attribute values. */
  private tagEnd(open: number): number {
    if (!this.quotesPair) return this.behind('>', open);
    DELIMITER.lastIndex = open;
    for (let match = DELIMITER.exec(this.text); match !== null; match = DELIMITER.exec(this.text)) {
      if (match[0] === '>') return match.index + 1;
      if (!this.followsEquals(match.index)) continue;
      const closing = this.text.indexOf(match[0], match.index + 1);
      if (closing === -1) break;
      DELIMITER.lastIndex = closing + 1;
    }
    this.quotesPair = false;
    return this.behind('>', open);
  }

  /** A quote opens an attribute value only behind an equals sign. */
  private followsEquals(position: number): boolean {
    let before = position - 1;
    while (before > 0 && /\s/.test(this.text.charAt(before))) before--;
    return this.text.charAt(before) === '=';
  }

  /** Behind the next occurrence of `mark`, or the end of the text. */
  private behind(mark: string, from: number): number {
    const index = this.text.indexOf(mark, from);
    return index === -1 ? this.text.length : index + mark.length;
  }
}
