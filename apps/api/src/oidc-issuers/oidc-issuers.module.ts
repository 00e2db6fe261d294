import { Module } from '@nestjs/common';
import { OidcIssuersController } from './oidc-issuers.controller.js';

@Module({ controllers: [OidcIssuersController] })
export class OidcIssuersModule {}
