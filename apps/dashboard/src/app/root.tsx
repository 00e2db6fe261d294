import { createRootRoute } from '@tanstack/react-router';
import { NotFound } from '../pages/not-found.js';
import { Shell } from './shell.js';

export const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
