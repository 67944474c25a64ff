import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Durations of test files in seconds on two busy cores. Default: one or two. */
const SECONDS: Readonly<Record<string, number>> = {
  'browser/page': 45,
  'browser/runs-again': 20,
  'browser/tests-of-app': 33,
  'browser/views': 30,
  'canary/command': 10,
  'canary/module': 9,
  'canary/recording': 15,
  'docs/docs': 13,
  'fuzz/fuzz': 10,
  'host/chaos': 43,
  'host/crash-matrix': 20,
  'host/database-restart': 10,
  'host/faults': 10,
  'host/host': 12,
  'host/host-commands': 20,
  'host/hostile-apps': 25,
  'host/lost-answers': 9,
  'host/queue-contract': 13,
  'host/serve-process': 12,
  'language/functions/growth': 5,
  'language/hostile': 4,
  'language/pattern/replace-pattern': 7,
  'package/packed': 20,
  'rest/contract-http': 8,
  'rest/contract-postgres': 13,
  'rest/contract-sqlite': 8,
  'rest/hostile': 4,
  'rest/large-lists': 7,
  'rest/public-cli': 8,
  'sandbox/host': 18,
  'sandbox/isolation': 5,
  'sandbox/limits': 8,
  'server/serve-fetch': 10,
  'testing/corpus-recording': 9,
};

/** Files that mostly wait for databases, processes, a browser or the package. */
const WAITING = /^(?:browser|host)\/|^package\/packed$|^rest\/public-cli$|^server\/serve-fetch$/;

/** Number of workers per kind of file. */
const LANES_OF_KIND = 2;

/**
 * Orders test files: first those of the project `apart`, because a worker stays with its project. Of the others,
 * waiting and computing files alternate, so that no core or worker is idle. Within a kind the longest files run first.
 */
export function inLanes(apart: string): typeof BaseSequencer {
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const bySize = await super.sort(files);
      const longestFirst = bySize.sort((a, b) => estimateSeconds(b) - estimateSeconds(a));
      const alone = longestFirst.filter(({ project }) => project.name === apart);
      const shared = longestFirst.filter(({ project }) => project.name !== apart);
      const started = [true, false].flatMap((waits) =>
        findStarts(shared.filter((file) => isWaiting(file) === waits)),
      );
      return [...alone, ...started.sort((a, b) => a.start - b.start).map(({ file }) => file)];
    }
  };
}

function nameFile({ moduleId }: TestSpecification): string {
  return moduleId.replace(/^.*\/test\//, '').replace(/\.test\.ts$/, '');
}

function isWaiting(file: TestSpecification): boolean {
  return WAITING.test(nameFile(file));
}

function estimateSeconds(file: TestSpecification): number {
  return SECONDS[nameFile(file)] ?? (isWaiting(file) ? 4 : 1);
}

/** Start time of each file if the workers of its kind do nothing else. */
function findStarts(files: readonly TestSpecification[]): { file: TestSpecification; start: number }[] {
  const ends: number[] = Array.from({ length: LANES_OF_KIND }, () => 0);
  return files.map((file) => {
    const start = Math.min(...ends);
    ends[ends.indexOf(start)] = start + estimateSeconds(file);
    return { file, start };
  });
}
