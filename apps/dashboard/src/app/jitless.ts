import { z } from 'zod';

/** The content security policy allows no code made from text; zod would try whether it may. Imported before any schema. */
z.config({ jitless: true });
