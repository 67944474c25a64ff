import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ShownValue } from '../../protocol.js';

/** The value of an element under the pointer or with focus. */
export interface Tip {
  readonly source: string;
  readonly value: ShownValue;
  /** The element. */
  readonly anchor: Element;
  /** Whether it was reached by keyboard, for screen readers. */
  readonly isWalked: boolean;
}

interface TipProps {
  /** ID for aria-describedby. */
  readonly id: string;
  readonly tip: Tip | undefined;
  /** Called when the pointer enters or leaves. */
  readonly onPoint: (isOn: boolean) => void;
  /** Called when the element is scrolled out of view. */
  readonly onLost: () => void;
}

/** Distance in pixels to the element and the window edge. */
const GAP = 6;

/** Shows the value of the hovered or focused element. Stays while the pointer is on it; Escape closes it. */
export function ValueTip({ id, tip, onPoint, onLost }: TipProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null || tip === undefined) return undefined;
    const { anchor } = tip;
    const place = (): void => placeBeside(current, anchor);
    place();
    // Follows scrolled text: closing would also close it when scrolling moved the pointer here.
    addEventListener('scroll', place, { capture: true, passive: true });
    const sight = new IntersectionObserver((seen) => {
      if (seen.at(-1)?.isIntersecting === false) onLost();
    });
    sight.observe(anchor);
    return () => {
      removeEventListener('scroll', place, { capture: true });
      sight.disconnect();
    };
  }, [tip]);
  return (
    <>
      <div
        id={id}
        role="tooltip"
        class="value-tip"
        ref={box}
        hidden={tip === undefined}
        onPointerEnter={() => onPoint(true)}
        onPointerLeave={() => onPoint(false)}
      >
        {tip !== undefined && (
          <>
            <code>{tip.source}</code>
            <span class={`tip-value ${tip.value.kind}`}>{writeShown(tip.value)}</span>
          </>
        )}
      </div>
      <p class="unseen" aria-live="polite">
        {tip?.isWalked === true && `${tip.source}: ${writeShown(tip.value)}`}
      </p>
    </>
  );
}

function placeBeside(box: HTMLElement, anchor: Element): void {
  const own = box.getBoundingClientRect();
  // The first line of a wrapped element.
  const at = anchor.getClientRects()[0] ?? anchor.getBoundingClientRect();
  const hasRoomBelow = at.bottom + GAP + own.height <= innerHeight;
  const left = Math.max(GAP, Math.min(at.left, innerWidth - own.width - GAP));
  const top = hasRoomBelow ? at.bottom + GAP : Math.max(GAP, at.top - GAP - own.height);
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

/** A value as readable text. */
export function writeShown({ kind, text, isCut }: ShownValue): string {
  return kind === 'nothing' ? 'nothing (undefined)' : `${text}${isCut ? ' …' : ''}`;
}
