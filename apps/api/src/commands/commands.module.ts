import { Module } from '@nestjs/common';
import { CommandList } from './command-list.js';
import { CommandsController } from './commands.controller.js';

@Module({ controllers: [CommandsController], providers: [CommandList], exports: [CommandList] })
export class CommandsModule {}
