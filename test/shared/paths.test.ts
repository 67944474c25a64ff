import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isBelow, relativePath } from '../../src/shared/files.js';

const { posix, win32 } = path;

describe('a path', () => {
  it.each([
    ['/apps/crm', '/apps/crm', posix, true],
    ['/apps/crm', '/apps/crm/modules/a.json', posix, true],
    ['/apps/crm', '/apps/crm-2/a.json', posix, false],
    ['/apps/crm', '/apps/crm/..a.json', posix, true],
    ['/', '/apps', posix, true],
    ['/apps/CRM', '/apps/crm/a.json', posix, false],
    ['C:\\apps\\crm', 'C:\\apps\\crm', win32, true],
    ['C:\\apps\\crm', 'c:\\Apps\\CRM\\a.json', win32, true],
    ['C:\\apps\\crm', 'C:\\apps\\crm-2\\a.json', win32, false],
    ['C:\\', 'C:\\apps', win32, true],
    ['C:\\apps', 'D:\\apps\\crm', win32, false],
    ['\\\\server\\share\\apps', '\\\\SERVER\\share\\apps\\a.json', win32, true],
    ['\\\\server\\share\\apps', '\\\\server\\other\\apps\\a.json', win32, false],
  ])('with folder %s and file %s is below it or not', (folder, file, system, isExpected) => {
    expect(isBelow(folder, file, system)).toBe(isExpected);
  });

  it.each([
    ['/apps', '/apps/crm/a.json', posix, 'crm/a.json'],
    ['/apps/crm', '/apps/shop/a\\b.json', posix, '../shop/a\\b.json'],
    ['C:\\apps', 'c:\\apps\\crm\\a.json', win32, 'crm/a.json'],
    ['C:\\apps\\crm', 'C:\\apps\\shop', win32, '../shop'],
    ['C:\\', 'C:\\apps', win32, 'apps'],
    ['C:\\apps', 'D:\\apps\\a.json', win32, 'D:/apps/a.json'],
  ])('from folder %s to file %s has slashes', (folder, file, system, expected) => {
    expect(relativePath(folder, file, system)).toBe(expected);
  });
});
