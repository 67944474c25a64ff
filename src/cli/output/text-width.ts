import stringWidth from 'string-width';

const GRAPHEMES = new Intl.Segmenter();

/** Cuts text to a width; `…` marks a cut. */
export function fitText(text: string, width: number): string {
  if (text.length <= width && stringWidth(text) <= width) return text;
  let fitted = '';
  let used = 0;
  for (const { segment } of GRAPHEMES.segment(text)) {
    const next = stringWidth(segment);
    if (used + next > width - 1) break;
    fitted += segment;
    used += next;
  }
  return `${fitted}…`;
}

/** Pads text with spaces. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}
