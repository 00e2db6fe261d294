import { Module } from '@nestjs/common';
import { PackStopsController } from './pack-stops.controller.js';

@Module({ controllers: [PackStopsController] })
export class PackStopsModule {}
