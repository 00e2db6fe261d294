import { Prisma } from './generated/client.js';

/** Types of inputs (`Prisma.RunCreateInput`), JSON values and null markers (`Prisma.DbNull`). */
export { Prisma };
/** Tagged template for `tx.$queryRaw(sql`…`)`: every value becomes a parameter. */
export const sql = Prisma.sql;
/** Joins values into a list of parameters. */
export const join = Prisma.join;
/** Text that goes into a statement as it is; never a value from outside. */
export const raw = Prisma.raw;
export const empty = Prisma.empty;
export type Sql = Prisma.Sql;
