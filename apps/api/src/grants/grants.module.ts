import { Module } from '@nestjs/common';
import { GrantsController } from './grants.controller.js';

@Module({ controllers: [GrantsController] })
export class GrantsModule {}
