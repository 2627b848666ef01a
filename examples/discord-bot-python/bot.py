"""A Discord bot that looks up and blocks players, gives them products, and shows the game servers.

    pip install discord.py
    DISCORD_TOKEN=... STEWARD_URL=http://127.0.0.1:8080 STEWARD_KEY=stw_... python bot.py

The key needs admin.users, admin.products and admin.servers.read. The commands that change something are shown to
members who may ban others; the server's settings under "Integrations" can change that.
"""

import asyncio
import os
from collections.abc import Callable

import discord
from discord import app_commands

import steward as api


class Bot(discord.Client):
    def __init__(self) -> None:
        # Names are data of players: none of them may mention anybody.
        super().__init__(
            intents=discord.Intents.none(), allowed_mentions=discord.AllowedMentions.none()
        )
        self.tree = app_commands.CommandTree(self)

    async def setup_hook(self) -> None:
        await self.tree.sync()


bot = Bot()


def steward() -> api.Steward:
    return api.Steward(os.environ["STEWARD_URL"], os.environ["STEWARD_KEY"])


async def answer(interaction: discord.Interaction, work: Callable[[], str]) -> None:
    """Answers with the result of a call, or with the message of its error."""
    # Discord waits three seconds for an answer unless it is told that one follows.
    await interaction.response.defer(ephemeral=True)
    try:
        # Calls to Steward block, so they run in a thread.
        text = await asyncio.to_thread(work)
    except api.StewardError as error:
        text = str(error)
    await interaction.followup.send(text[:2000], ephemeral=True)


@bot.tree.command(description="Show the game servers")
async def servers(interaction: discord.Interaction) -> None:
    await answer(interaction, lambda: api.describe_servers(steward()))


@bot.tree.command(description="Look up a player")
async def player(interaction: discord.Interaction, name: str) -> None:
    await answer(interaction, lambda: api.describe_player(steward(), name))


@bot.tree.command(description="Give a product to a player")
@app_commands.default_permissions(administrator=True)
async def give(interaction: discord.Interaction, name: str, product: str, reason: str) -> None:
    command_id = str(interaction.id)
    await answer(
        interaction, lambda: api.give_product(steward(), name, product, reason, command_id)
    )


@bot.tree.command(description="Block a player")
@app_commands.default_permissions(ban_members=True)
async def block(
    interaction: discord.Interaction,
    name: str,
    reason: str,
    days: app_commands.Range[int, 1, 3650] | None = None,
) -> None:
    command_id, sent_at = str(interaction.id), interaction.created_at
    await answer(
        interaction, lambda: api.block_player(steward(), name, reason, days, command_id, sent_at)
    )


@bot.tree.command(description="Unblock a player")
@app_commands.default_permissions(ban_members=True)
async def unblock(interaction: discord.Interaction, name: str) -> None:
    command_id = str(interaction.id)
    await answer(interaction, lambda: api.unblock_player(steward(), name, command_id))


if __name__ == "__main__":
    bot.run(os.environ["DISCORD_TOKEN"])
