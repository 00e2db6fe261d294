/** Whether the database refused because rows that refer to one another would not fit (Prisma's P2003). */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'P2003';
}
