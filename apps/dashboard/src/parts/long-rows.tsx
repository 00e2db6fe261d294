import { useWindowVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type ReactNode, type Ref, useLayoutEffect, useRef, useState } from 'react';

/** What a row of a long table carries, so that it is measured and says which one it is. */
export interface RowProps {
  readonly ref: Ref<HTMLTableRowElement>;
  readonly 'data-index': number;
  readonly 'aria-rowindex': number;
}

interface LongRowsProps {
  readonly count: number;
  /** How high a row is as a rule, in pixels. */
  readonly height: number;
  readonly columns: number;
  readonly children: (index: number, props: RowProps) => ReactNode;
}

/**
 * The rows of a table that may be long: only those near what is in sight are in the page, however many were loaded; what
 * is above and below is room. The table says `aria-rowcount={-1}`, because how many there are nobody knows.
 */
export function LongRows({ count, height, columns, children }: LongRowsProps) {
  const top = useRef<HTMLTableRowElement>(null);
  const [scrollMargin, setMargin] = useState(0);
  // What stands above may grow or go.
  useLayoutEffect(() => {
    const now = top.current === null ? 0 : Math.round(top.current.getBoundingClientRect().top + window.scrollY);
    setMargin(now);
  }, [count]);
  const rows = useWindowVirtualizer<HTMLTableRowElement>({
    count,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin,
  });
  const items = rows.getVirtualItems();
  const above = (items[0]?.start ?? scrollMargin) - scrollMargin;
  const below = rows.getTotalSize() - ((items.at(-1)?.end ?? scrollMargin) - scrollMargin);
  return (
    <>
      <Room at={top} height={above} columns={columns} />
      {items.map(({ index }: VirtualItem) =>
        // The head is the first.
        children(index, { ref: rows.measureElement, 'data-index': index, 'aria-rowindex': index + 2 }),
      )}
      <Room height={below} columns={columns} />
    </>
  );
}

function Room({ at, height, columns }: { at?: Ref<HTMLTableRowElement>; height: number; columns: number }) {
  return (
    <tr ref={at} aria-hidden>
      <td colSpan={columns} style={{ height: Math.max(0, height), padding: 0, border: 0 }} />
    </tr>
  );
}
