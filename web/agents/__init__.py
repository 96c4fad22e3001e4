"""Agents in processes of their own, where third-party code can harm neither the server nor other games.

- `agent_service.py`: `AgentService` chooses the process for a request and checks the answer.
- `agent_process.py`: `AgentProcess` starts one such process, sends it requests and kills it when it fails.
- `child.py`: the main function of that process, which calls the agents.
- `channel.py`, `protocol.py`: the frames and the content of the messages between both.
"""
