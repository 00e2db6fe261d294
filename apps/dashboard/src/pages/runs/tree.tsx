import { escapeInvisible } from '@hcp/core';
import classes from './tree.module.css';

const MAX_CHILDREN = 200;

interface TreeProps {
  readonly value: unknown;
  readonly name?: string;
  readonly depth?: number;
}

const summary = (value: object): string => {
  const count = Object.keys(value).length;
  return Array.isArray(value)
    ? `${String(count)} item${count === 1 ? '' : 's'}`
    : `${String(count)} field${count === 1 ? '' : 's'}`;
};

/** A result as a tree that opens and closes. */
export function Tree({ value, name, depth = 0 }: TreeProps) {
  const label = name === undefined ? null : <span className={classes['name']}>{escapeInvisible(name)}</span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className={classes['leaf']}>
        {label}
        <span className="hcp-value">{typeof value === 'string' ? escapeInvisible(value) : String(value)}</span>
      </div>
    );
  }
  const entries = Object.entries<unknown>({ ...value });
  return (
    <details open={depth < 2} className={classes['branch']}>
      <summary>
        {label} <span className={classes['count']}>{summary(value)}</span>
      </summary>
      <div className={classes['inner']}>
        {entries.slice(0, MAX_CHILDREN).map(([key, each]) => (
          <Tree key={key} name={key} value={each} depth={depth + 1} />
        ))}
        {entries.length > MAX_CHILDREN && (
          <div className={classes['count']}>and {entries.length - MAX_CHILDREN} more</div>
        )}
      </div>
    </details>
  );
}
