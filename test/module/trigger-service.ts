import type { Engine, EngineOptions, Module, RunReport } from '../../src/index.js';
import { engineOf } from '../component/engine-of.js';
import { service } from '../run/helpers.js';

export interface ScriptedItem {
  readonly id: unknown;
  readonly at: string;
}

export const TRIGGER = { type: 'id', order: 'desc', id: '{{item.id}}' };

export interface Watched {
  readonly type?: string;
  readonly order?: 'asc' | 'desc' | 'unordered';
  /** Replaces the whole `response.trigger`, even with undefined. */
  readonly trigger?: unknown;
  readonly limit?: number;
  readonly output?: unknown;
  readonly temp?: unknown;
  /** Default: one page with all items. */
  readonly pageSize?: number;
  /** Date of each item. */
  readonly date?: string;
}

/** A polling trigger `watch` and an API that lists items with these ids (oldest first) in the trigger's order. */
export function watching(
  ids: readonly unknown[],
  watched: Watched,
  options: Partial<EngineOptions> = {},
): {
  readonly engine: Engine;
  readonly run: (input?: Parameters<Module['run']>[0]) => Promise<RunReport>;
} {
  const { type = 'id', order = 'desc', limit, output, temp, pageSize, date = '2024-01-01' } = watched;
  const trigger = 'trigger' in watched ? watched.trigger : { ...TRIGGER, type, order, date: '{{item.at}}' };
  const items = ids.map((id): ScriptedItem => ({ id, at: date }));
  const listed = order === 'desc' ? items.toReversed() : items;
  const { transport } = service((request) => {
    if (pageSize === undefined) return { json: listed };
    const start = (Number(new URL(request.url).searchParams.get('page') ?? 1) - 1) * pageSize;
    return { json: listed.slice(start, start + pageSize) };
  });
  const communication = {
    url: '/n',
    temp,
    response: { iterate: '{{body}}', output, limit, trigger },
    ...(pageSize !== undefined && { pagination: { qs: { page: '{{pagination.page}}' } } }),
  };
  const { engine } = engineOf(
    { modules: { watch: { type: 'trigger', communication } } },
    { http: { transport }, ...options },
  );
  return { engine, run: async (input) => engine.module('watch').run(input) };
}
