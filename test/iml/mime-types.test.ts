import { expect, it } from 'vitest';
import { findMediaType } from '../../src/iml/functions/text.js';

it.each([
  ['a.png', 'image/png'],
  ['a.JPG', 'image/jpeg'],
  ['a.tar.gz', 'application/gzip'],
  ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['a.csv', 'text/csv'],
  ['a.html', 'text/html'],
  ['a.json', 'application/json'],
  ['a.mp3', 'audio/mpeg'],
  ['a.mp4', 'video/mp4'],
  ['a.woff2', 'font/woff2'],
  ['.svg', 'image/svg+xml'],
  ['a.', undefined],
  ['', undefined],
  ['png', undefined],
  ['a.jsonl', 'application/x-ndjson'],
  ['a.png/b', undefined],
  ['a.toString', undefined],
])('%s is %s', (fileName, type) => expect(findMediaType(fileName)).toBe(type));
