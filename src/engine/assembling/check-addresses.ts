import { childPointer } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import type { App } from '../document/app.js';
import type { Document, Warn } from '../document/document.js';

/**
 * Tells of requests that cannot be sent as they are written: polling triggers and connections without `url`
 * (`missing-url`), a `baseUrl` without a scheme, and relative addresses where there is no `baseUrl` (`unusable-url`).
 * Only what is written out is looked at: what an expression gives shows in a run.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests [doc]
 */
export function checkAddresses(app: App, warn: Warn): void {
  const hasBase = checkBase(app, warn);
  for (const { name, type, communication } of app.modules.values()) {
    if (communication === undefined) continue;
    const requests = listRequests(communication.value, '');
    if (type === 'trigger') checkPolled(name, communication, requests.at(-1), warn);
    if (!hasBase) checkRelative(communication, requests, warn);
  }
  for (const { name, type, communication } of app.connections.values()) {
    if (communication === undefined) continue;
    const requests = listConnectionRequests(communication.value, type);
    // A connection does not inherit from the base.
    checkRelative(communication, requests, warn);
    for (const request of requests) checkWritten(name, communication, request, warn);
  }
  if (hasBase) return;
  const others = [
    ...[...app.rpcs.values(), ...app.endpoints.values()].map(({ communication }) => communication),
    ...[...app.webhooks.values()].flatMap(({ attach, detach, update }) => [attach, detach, update]),
  ];
  for (const document of others) {
    if (document !== undefined) checkRelative(document, listRequests(document.value, ''), warn);
  }
}

interface Request {
  readonly spec: PlainObject;
  readonly pointer: string;
}

function listRequests(value: unknown, pointer: string): readonly Request[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => listRequests(item, childPointer(pointer, index)));
  }
  return isPlainObject(value) ? [{ spec: value, pointer }] : [];
}

const SECTIONS = [
  ...['preauthorize', 'requestToken', 'authorize', 'token', 'accessToken', 'info', 'refresh', 'invalidate'],
];

function listConnectionRequests(value: unknown, type: 'basic' | 'oauth'): readonly Request[] {
  if (type === 'basic') {
    // An unedited template sends nothing.
    return isPlainObject(value) && Object.keys(value).length === 0 ? [] : listRequests(value, '');
  }
  if (!isPlainObject(value)) return [];
  return SECTIONS.flatMap((name) => listRequests(ownMember(value, name), childPointer('', name)));
}

/** Whether the base resolves relative URLs. */
function checkBase({ base }: App, warn: Warn): boolean {
  const value = isPlainObject(base?.value) ? ownMember(base.value, 'baseUrl') : undefined;
  if (value === undefined || value === null || value === '') return false;
  if (base !== undefined && typeof value === 'string' && !isAbsolute(value)) {
    const message = `The baseUrl ${quote(value)} names no scheme, so nothing can be called: start it with https://.`;
    warn('unusable-url', message, () => base.locationOf('/baseUrl'));
  }
  return true;
}

function checkPolled(name: string, communication: Document, request: Request | undefined, warn: Warn): void {
  if (request === undefined || isWritten(request.spec, 'url') || isWritten(request.spec, 'endpoint')) return;
  const message = `The polling trigger "${name}" has no url, so there is nothing it could poll.`;
  warn('missing-url', message, () => communication.locationOf(request.pointer));
}

function checkWritten(name: string, communication: Document, { spec, pointer }: Request, warn: Warn): void {
  if (isWritten(spec, 'url')) return;
  const message = `A request of the connection "${name}" has no url; connections have no static mode.`;
  warn('missing-url', message, () => communication.locationOf(pointer));
}

function checkRelative(document: Document, requests: readonly Request[], warn: Warn): void {
  for (const { spec, pointer } of requests) {
    const url = ownMember(spec, 'url');
    if (typeof url !== 'string' || url.trim() === '' || isAbsolute(url) || isWritten(spec, 'baseUrl'))
      continue;
    const message = `The address ${quote(url)} is relative, and no baseUrl stands before it here: start it with https://.`;
    warn('unusable-url', message, () => document.locationOf(childPointer(pointer, 'url')));
  }
}

/** A URL that starts with an expression may contain its scheme. */
function isAbsolute(url: string): boolean {
  return /^\s*(?:[a-z][a-z0-9+.-]*:|\{\{)/i.test(url);
}

function isWritten(spec: PlainObject, name: string): boolean {
  const value = ownMember(spec, name);
  return value !== undefined && value !== null && value !== '';
}

const SHOWN_LENGTH = 80;

function quote(url: string): string {
  return JSON.stringify(url.length <= SHOWN_LENGTH ? url : `${url.slice(0, SHOWN_LENGTH)}...`);
}
