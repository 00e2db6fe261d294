import { Module } from '@nestjs/common';
import { AuthController } from './auth.controller.js';
import { BrowserController } from './browser.controller.js';
import { MeController } from './me.controller.js';

@Module({ controllers: [AuthController, BrowserController, MeController] })
export class AuthModule {}
