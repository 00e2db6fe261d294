import { Prisma } from './generated/client.js';

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === code;
}

/** A row with this unique key is there already. */
export const isUniqueViolation = (error: unknown): boolean => hasCode(error, 'P2002');
/** The row refers to one that isn't there, or not in this tenant. */
export const isForeignKeyViolation = (error: unknown): boolean => hasCode(error, 'P2003');
/** An update or delete by key met no row in this scope. */
export const isNotFound = (error: unknown): boolean => hasCode(error, 'P2025');
